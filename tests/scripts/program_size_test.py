#!/usr/bin/env python3
"""program_size_test.py CAIRN: the program is small, and its symbols are beside it where debuggers look."""

import pathlib
import subprocess
import sys
import unittest
import zlib

MOST_BYTES = 12_000_000


class ProgramTest(unittest.TestCase):
    def test_is_small(self):
        self.assertLess(CAIRN.stat().st_size, MOST_BYTES)

    def test_its_link_names_the_symbols_beside_it(self):
        """The section has the file's name, zeros up to four bytes, and the checksum of its content."""
        section = subprocess.run(["objcopy", "-O", "binary", "--only-section=.gnu_debuglink",
                                  "--set-section-flags", ".gnu_debuglink=alloc", CAIRN, "/dev/stdout"],
                                 check=True, capture_output=True).stdout
        symbols = CAIRN.with_name(section.split(b"\0")[0].decode())
        self.assertEqual(symbols.name, "cairn.debug")
        self.assertEqual(int.from_bytes(section[-4:], sys.byteorder), zlib.crc32(symbols.read_bytes()))

    def test_the_symbols_know_lines(self):
        symbols = CAIRN.with_name("cairn.debug")
        listed = subprocess.run(["nm", symbols], check=True, capture_output=True, text=True).stdout
        main = next(line.split()[0] for line in listed.splitlines() if line.lower().endswith(" t main"))
        place = subprocess.run(["addr2line", "-e", symbols, "0x" + main], check=True, capture_output=True,
                               text=True).stdout
        self.assertIn("main.cc:", place)


if __name__ == "__main__":
    CAIRN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
