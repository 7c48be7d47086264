"""The page: standings, bots, matches and competitions of an arena in a browser.

It is a client of `roost.v1` like any other, so it can show only what the contract gives. It must not know the server.
"""

DEFAULT_LISTEN = "127.0.0.1:8080"
"""Where the page listens."""
