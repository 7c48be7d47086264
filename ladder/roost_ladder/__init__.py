"""Who plays whom, how that is played on this machine, and how strong every bot is.

It knows the games and the SDK. Sample bots, the server and the terminal are handed in or above it.
"""
