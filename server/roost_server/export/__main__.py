"""`python -m roost_server.export ORDER` writes an export, as the JSON object in a file says. An arena starts it."""

import json
import os
import sys
from pathlib import Path

from roost_games.errors import Exit, RoostError, exit_code
from roost_server.export.writer import export
from roost_server.store import open_store

PATIENT = 15
"""The niceness of the process: an arena on the same machine comes first."""


def main() -> int:
    """Write it. Returns the exit code."""
    order = json.loads(Path(sys.argv[1]).read_text())
    os.nice(PATIENT)
    try:
        with open_store(order["url"], read_only=True) as store:
            export(store, order["competition"], Path(order["folder"]), order["phase"], everything=order["everything"])
    except RoostError as error:
        sys.stderr.write(f"{error}\n")
        return exit_code(error)
    return Exit.DONE


if __name__ == "__main__":
    sys.exit(main())
