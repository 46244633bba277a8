#!/usr/bin/env python3
"""Reads `cargo metadata` on standard input and fails if a dependency cannot be used under permissive terms.

A licence expression passes if one of its alternatives (`OR`, or the old `/`) names allowed licences only.
"""

import json
import re
import sys

ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0",
    "CC0-1.0", "ISC", "MIT", "MIT-0", "Unicode-3.0", "Unicode-DFS-2016", "Unlicense", "Zlib",
}  # fmt: skip


def alternatives(text):
    """The alternatives of an expression as sets of licences, parentheses distributed."""
    text = text.replace("/", " OR ")
    while inner := re.search(r"\(([^()]*)\)", text):
        before, after = text[: inner.start()], text[inner.end() :]
        if " OR " in inner[1] and (re.search(r"AND\s*$", before) or re.match(r"\s*AND", after)):
            return [found for part in inner[1].split(" OR ") for found in alternatives(f"{before}{part}{after}")]
        text = f"{before}{inner[1]}{after}"
    return [{name.strip() for name in part.split(" AND ")} for part in text.split(" OR ")]


def main():
    packages = [package for package in json.load(sys.stdin)["packages"] if package["source"]]
    bad = [
        f"{package['name']} {package['version']}: {package['license']}"
        for package in packages
        if not any(names <= ALLOWED for names in alternatives(package["license"] or "none"))
    ]
    print(f"{len(packages)} dependencies, {len(bad)} with unwanted licences", *bad, sep="\n  ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
