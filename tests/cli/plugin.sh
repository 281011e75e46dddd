#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The libtraceevent plugin in trace-cmd report, and filters on our events.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
file=$traces/chain.dat
mkdir "$tmp/plugins"
cp "$build/plugin_lru_gen.so" "$tmp/plugins"

TRACEEVENT_PLUGIN_DIR=$tmp/plugins timeout 60 trace-cmd report "$file" \
	> "$tmp/with" 2> "$tmp/with.err"
timeout 60 trace-cmd report -N "$file" > "$tmp/without" 2> /dev/null
check "trace-cmd loads the plugin without a complaint" \
	sh -c "! grep -i plugin '$tmp/with.err'"
check "no event gets lost" [ "$(wc -l < "$tmp/with")" -eq "$(wc -l < "$tmp/without")" ]
check "no event fails to be printed" sh -c "! grep -q 'FAILED\|\[FAIL' '$tmp/with'"

cat > "$tmp/compare.py" << 'EOF'
# what the plugin prints against what the event's own format prints
import re, sys
checked = {}
for a, b in zip(open(sys.argv[1]), open(sys.argv[2])):
    event = re.search(r" mm_lru_gen_(\w+):", b)
    if not event:
        continue
    name = event.group(1)
    fields = dict(f.split("=", 1) for f in b[event.end():].split() if "=" in f)
    text = a[a.index("mm_lru_gen_"):].split(None, 1)[1]
    if name in ("add", "del", "update", "move"):
        old, new, top = int(fields["old_gen"]), int(fields["new_gen"]), int(fields["max_seq"])
        def gen(g):
            return "none" if g < 0 else f"gen {g} (age {(top - g) % 4})"
        expected = f"{fields['site']}: {fields['type']} pfn {fields['pfn']}"
        if fields["order"] != "0":
            expected += f" order {fields['order']}"
        expected += f", {gen(old)}" + (f" -> {gen(new)}" if old != new else "")
        expected += f" memcg {fields['memcg']} node {fields['nid']}"
        assert text.startswith(expected), (text, expected)
        flags = b.strip().rsplit("flags=", 1)[1]
        assert text.strip().endswith(f"; {flags}") if flags else ";" not in text, (text, flags)
    elif name in ("evict", "refault"):
        dev = int(fields["dev"])
        assert f"{fields['type']} pfn {fields['pfn']}" in text and fields["backing"] in text
        assert (f"dev {dev >> 20}:{dev & 0xfffff} " in text) == bool(dev), text
        assert ("restored" in text) == (fields.get("restored") == "1"), text
    elif name == "scan":
        assert text.startswith(fields["reclaimer"] + ": ") and \
            f" {fields['nr_isolated']} isolated" in text, text
    elif name == "reclaim":
        reason = "" if fields["reason"] == "none" else " " + fields["reason"]
        assert text.startswith(f"{fields['outcome']}{reason}: "), text
    else:
        continue
    checked[name] = checked.get(name, 0) + 1
print(checked)
assert sum(checked.values()) > 10000 and len(checked) >= 7, checked
EOF
check "every line says what the event's own format says" \
	/usr/bin/python3 "$tmp/compare.py" "$tmp/with" "$tmp/without"

# filters of the page formats/neighbours.md
pfn=$("$folioscope" lifetimes -q -f csv -n 1 -s -evictions "$file" | awk -F, 'NR == 2 { print $2 }')
hex=$(printf 0x%x "$pfn")
filtered=$(trace-cmd report -F "lru_gen/mm_lru_gen_add: pfn == $hex" "$file" 2> /dev/null |
	grep -c ' mm_lru_gen_add:')
ours=$(grep -c " mm_lru_gen_add: .* pfn=$hex " "$tmp/without")
check "trace-cmd report -F finds a page frame ($filtered events)" \
	[ "$filtered" -gt 0 -a "$filtered" -eq "$ours" ]
done_testing
