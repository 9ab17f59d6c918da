# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that prints rows as lines of JSON, and makes a result for docs/results of them.

./dev run .venv/bin/python tests/soak/recorded.py --json FILE -- suiro_footprint --json
"""

import argparse
import json
import subprocess
import sys

import result_file

from suiro.provenance import now


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    result_file.add_option(parser, required=True)
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    arguments = parser.parse_args()
    began = now()
    done = subprocess.run(arguments.command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(done.returncode)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    result_file.write(arguments.json, began, {"rows": rows})


if __name__ == "__main__":
    main()
