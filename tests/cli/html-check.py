# SPDX-License-Identifier: GPL-2.0-only
"""html-check.py SHOTS PAGE BASE-AND-PATCH SHIELDS JSON: TAP lines about HTML reports in a
headless Chromium. Screenshots and the PDF go to the folder SHOTS."""
import html.parser
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser

shots, page, both, shields, report = sys.argv[1:]
number = failed = 0
SECTIONS = ["summary", "generations", "survival", "residency", "transitions", "refaults",
            "violations", "lazyfree", "hitshield", "heat", "counters", "folios"]


def check(name, good, why=""):
    global number, failed
    number += 1
    failed += not good
    print(("ok" if good else "not ok"), number, "-", name)
    if not good:
        print("#", str(why)[:600].replace("\n", "\n# "))


class Strict(html.parser.HTMLParser):
    """Every element is closed, ids are unique, links lead somewhere."""
    VOID = {"meta", "link", "input", "br", "img"}

    def __init__(self):
        super().__init__()
        self.stack, self.ids, self.links, self.errors, self.external = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        for name in ("src", "href", "srcset", "action"):
            value = attributes.get(name, "#")
            if not value.startswith(("#", "data:")):
                self.external.append(value)
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.errors.append(tag)


check("the dots of the stories have a legend, before the first",
      0 < open(page).read().find("the life ends</li>") < open(page).read().find('class="story"'))
check("without hitshield events: the two reasons there can be",
      "the kernel has no hitshield, or it was off" in " ".join(open(page).read().split()))

for path in (page, both, shields):
    text = open(path, encoding="ascii").read()
    parser = Strict()
    parser.feed(text)
    name = os.path.basename(path)
    check(f"{name}: well formed", not parser.errors and not parser.stack,
          (parser.errors[:5], parser.stack[:5]))
    check(f"{name}: ids are unique and links lead somewhere",
          len(set(parser.ids)) == len(parser.ids) and
          all(link[1:] in parser.ids for link in parser.links))
    check(f"{name}: needs no other file", not parser.external, parser.external)
    check(f"{name}: at most 5 MB", len(text) <= 5_000_000, len(text))
    # xmlns is not needed inline; a licence names its origin
    urls = set(re.findall(r"https?://[^\s\"'<>,]+", text))
    check(f"{name}: names no place in the network but uPlot's home",
          urls <= {"https://github.com/leeoniya/uPlot"}, urls)

def labels(what):
    outside = browser.run("""const bad = [];
        for (const svg of document.querySelectorAll('svg')) {
            const box = svg.getBoundingClientRect();
            for (const text of svg.querySelectorAll('text')) {
                const t = text.getBoundingClientRect();
                if (t.width && (t.left < box.left - 1 || t.right > box.right + 1 ||
                        t.top < box.top - 1 || t.bottom > box.bottom + 1))
                    bad.push(text.textContent + ' in ' + svg.querySelector('title').textContent);
            }
        }
        return bad;""")
    check(f"{what}: no label leaves its picture", not outside, outside[:10])
    overlaps = browser.run("""const bad = [];
        for (const svg of document.querySelectorAll('svg')) {
            const boxes = [...svg.querySelectorAll('text')].map((t) =>
                [t.textContent, t.getBoundingClientRect()]).filter((b) => b[1].width);
            for (let i = 0; i < boxes.length; i++)
                for (let k = i + 1; k < boxes.length; k++) {
                    const a = boxes[i][1], b = boxes[k][1];
                    const w = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                    const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                    if (w > 1 && h > 3)
                        bad.push(boxes[i][0] + ' / ' + boxes[k][0] + ' in ' +
                            svg.querySelector('title').textContent);
                }
        }
        return bad;""")
    check(f"{what}: no two labels overlap", not overlaps, overlaps[:10])


document = json.load(open(report))
browser = Browser()
try:
    browser.open(page)
    errors = [m for m in browser.messages() if m["level"] in ("SEVERE", "WARNING")]
    check("no console error", not errors, errors)
    requests = []
    for entry in browser.messages("performance"):
        message = json.loads(entry["message"])["message"]
        # the empty tab before the page has requests of its own
        if message["method"] == "Network.requestWillBeSent" and \
                not message["params"]["documentURL"].startswith("chrome:"):
            requests.append(message["params"]["request"]["url"])
    check("no request but the page itself and its data",
          all(r.startswith(("file://", "data:")) for r in requests) and
          sum(r.startswith("file://") for r in requests) == 1, requests)
    for section in SECTIONS:
        box = browser.run(f"""const s = document.getElementById({section!r});
            return [s.getBoundingClientRect().height, s.querySelectorAll('svg').length,
                    s.querySelectorAll('table').length];""")
        check(f"section {section} is there and not empty",
              box[0] > 60 and (box[1] + box[2] > 0 or section == "hitshield"), box)
        browser.screenshot(f"{shots}/{section}.png", f"#{section}")
    labels("one recording")
    unnamed = browser.run("""return [...document.querySelectorAll('svg[role=img]')].filter((s) =>
        !s.querySelector('title').textContent || !s.querySelector('desc').textContent).length;""")
    check("every picture has a title and a description", unnamed == 0, unnamed)
    canvases = browser.run("return document.querySelectorAll('.zoom canvas').length")
    check("the chart that can be zoomed is drawn", canvases == 1, canvases)

    agings = browser.run("""let good = 0, bad = [];
        for (const story of document.querySelectorAll('.story')) {
            let before = null;
            for (const row of story.querySelectorAll('tbody tr')) {
                const [time, life, event, gen, age] = [...row.cells].map((c) => c.textContent);
                if (event === 'aging' && before !== null && before !== '-') {
                    if (Number(age) === Number(before) + 1 || before === '3')
                        good++;
                    else
                        bad.push(story.id + ' ' + time);
                }
                before = age;
            }
        }
        return [good, bad];""")
    check("each aging makes a folio one generation older", agings[0] > 20 and not agings[1], agings)

    pfn = browser.run("return document.querySelectorAll('.story')[3].dataset.pfn")
    search = """const i = document.getElementById('pfn'); i.value = %r;
        i.dispatchEvent(new Event('input'));
        return [[...document.querySelectorAll('.story')].filter((s) => !s.hidden)
            .map((s) => s.dataset.pfn), document.getElementById('found').textContent];"""
    for text in (pfn, hex(int(pfn))):
        shown, said = browser.run(search % text)
        check(f"the search finds page frame {text}", shown == [pfn] and said == "1 found", shown)
    browser.screenshot(f"{shots}/found.png", "#folios")
    shown, said = browser.run(search % "0xfffffff")
    check("and says what to do for one that is not there",
          not shown and "folioscope folio FILE 0xfffffff" in said, said)
    shown, said = browser.run(search % "abc")
    check("and what it takes", not shown and "0x4cc6" in said, said)
    shown, said = browser.run(search % "")
    check("without a number all are shown", len(shown) >= 48, len(shown))

    def luminance(colour):
        channel = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        channel = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channel]
        return 0.2126 * channel[0] + 0.7152 * channel[1] + 0.0722 * channel[2]

    def contrast():
        found = browser.run("""const c = (s, p) => getComputedStyle(document.querySelector(s))[p];
            return [[c('body', 'color'), c('body', 'backgroundColor')],
                    [c('.soft', 'color'), c('body', 'backgroundColor')],
                    [c('a', 'color'), c('body', 'backgroundColor')],
                    [c('svg text.label', 'fill'), c('section svg', 'backgroundColor')]];""")
        values = []
        for pair in found:
            a, b = sorted(map(luminance, pair))
            values.append((b + 0.05) / (a + 0.05))
        return min(values), found

    light = browser.run("return getComputedStyle(document.body).backgroundColor")
    check("text has contrast in light", contrast()[0] >= 4.5, contrast())
    browser.dark(True)
    dark = browser.run("return getComputedStyle(document.body).backgroundColor")
    check("dark mode follows the system", luminance(dark) < 0.05 < luminance(light), (light, dark))
    check("text has contrast in dark", contrast()[0] >= 4.5, contrast())
    browser.screenshot(f"{shots}/dark.png", "#generations")
    browser.run("document.getElementById('theme').click()")
    forced = browser.run("return getComputedStyle(document.body).backgroundColor")
    check("the button forces light", forced == light, forced)
    browser.dark(False)

    browser.pdf(f"{shots}/page.pdf")
    pdf = open(f"{shots}/page.pdf", "rb").read()
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    check("it prints", pdf.startswith(b"%PDF") and pages >= 5, pages)

    keyboard = browser.run("""return [...document.querySelectorAll(
        'a, button, input, summary, .scroll')].every((e) => e.tabIndex >= 0);""")
    check("everything can be reached with the keyboard", keyboard)

    browser.open(both)
    errors = [m for m in browser.messages() if m["level"] in ("SEVERE", "WARNING")]
    check("base and patch: no console error", not errors, errors)
    labels("base and patch")
    curves = browser.run("""return ['#survival', '#refaults'].map((s) =>
        [document.querySelectorAll(s + ' figure > svg .curve').length,
         document.querySelectorAll(s + ' figure > svg .curve.b').length]);""")
    check("base and patch: curves lie over each other",
          all(b > 0 and a > b for a, b in curves), curves)
    for section in ("generations", "survival", "residency"):
        browser.screenshot(f"{shots}/both-{section}.png", f"#{section}")

    browser.open(shields)
    errors = [m for m in browser.messages() if m["level"] in ("SEVERE", "WARNING")]
    check("hitshield: no console error", not errors, errors)
    labels("hitshield")
    pictures = browser.run("return document.querySelectorAll('#hitshield figure > svg').length")
    check("hitshield: its flow and what it bought are drawn", pictures == 2, pictures)
    browser.screenshot(f"{shots}/hitshield-flow.png", "#hitshield")
finally:
    browser.close()

browser = Browser(javascript=False)
try:
    browser.open(page)
    # the driver's own scripts still run
    seen = browser.run("""return [document.querySelectorAll('section svg').length,
        document.querySelectorAll('.zoom canvas').length,
        document.querySelector('[data-table=counters] td').textContent,
        document.getElementById('search').hidden];""")
    check("without JavaScript: pictures and tables, and nothing that does not work",
          seen[0] > 20 and seen[1] == 0 and seen[2] == "pgscan_kswapd" and seen[3], seen)
finally:
    browser.close()

print(f"1..{number}")
sys.exit(failed != 0)
