# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium, driven through chromedriver's HTTP interface (W3C
WebDriver and the DevTools passthrough). Needs the Debian packages chromium and
chromium-driver, and nothing but Python's own library."""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request


class Browser:
    def __init__(self, javascript=True, width=1280, height=900):
        self.profile = tempfile.mkdtemp(prefix="folioscope-browser-")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.log = open(os.path.join(self.profile, "driver.log"), "w")
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=self.log, stderr=self.log,
            start_new_session=True)
        self.base = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except OSError:
                time.sleep(0.1)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                     "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                     "--disable-dev-shm-usage", f"--window-size={width},{height}",
                     f"--user-data-dir={self.profile}/profile"]
        options = {"args": arguments}
        if not javascript:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.base += "/session/" + session["sessionId"]

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:500]) from error

    def open(self, path):
        self.call("POST", "/url", {"url": path if ":" in path else
                                   "file://" + os.path.abspath(path)})

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def messages(self, kind="browser"):
        return self.call("POST", "/se/log", {"type": kind})

    def screenshot(self, path, selector=None):
        """Of the window, or of the whole of an element."""
        options = {"format": "png"}
        if selector:
            box = self.run(f"""const r = document.querySelector({selector!r})
                .getBoundingClientRect();
                return {{x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height,
                         scale: 1}};""")
            options.update(clip=box, captureBeyondViewport=True)
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.devtools("Page.captureScreenshot", **options)["data"]))

    def pdf(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("POST", "/print", {})))

    def dark(self, on):
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if on else "light"}])

    def close(self):
        try:
            self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass
        # its own process group, so nothing else is hit
        os.killpg(self.driver.pid, signal.SIGTERM)
        self.driver.wait()
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)
