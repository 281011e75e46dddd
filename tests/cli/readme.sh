#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What README.md shows is what the program prints. In its first block each command
# is followed by its output; a line of three dots stands for lines left out.
# Usage: readme.sh BUILDDIR
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

shown()
{
	python3 - "$folioscope" <<-'END'
		import subprocess, sys
		block = open("README.md").read().split("```\n")[1]
		nr = 0
		for part in block.split("$ folioscope ")[1:]:
		    arguments, shown = part.split("\n", 1)
		    result = subprocess.run([sys.argv[1], *arguments.split()], capture_output=True, text=True)
		    assert not result.returncode and not result.stderr, result.stderr
		    rest = "\n" + result.stdout
		    for piece in ("\n" + shown).split("\n...\n"):
		        lines = "\n" + piece.strip("\n") if piece.strip("\n") else ""
		        at = rest.find(lines)
		        assert at >= 0, "not printed by folioscope " + arguments + ":" + lines
		        rest = rest[at + len(lines):]
		        nr += lines.count("\n")
		assert nr > 25, nr
	END
}
check "README.md shows what is printed" shown
done_testing
