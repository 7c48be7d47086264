"""How the sample bots think: search with a guide for each game, exact turns with dice, and what they read off a table.

Nothing here is a bot that plays by itself; the bots are one folder up, and nothing here imports them.
"""
