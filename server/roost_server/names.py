"""What bots may be called."""

import re

NAME_FORM = re.compile(r"[A-Za-z0-9._-]{1,40}")
