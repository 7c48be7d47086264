"""`python -m roost_sdk BOT --server HOST:PORT`: plays a bot at an arena."""

import sys

from roost_sdk.program import main

if __name__ == "__main__":
    sys.exit(main())
