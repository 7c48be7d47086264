"""How ladders and comparisons are run: one engine, executors, bots in child processes, and books that keep the results.

Nothing here knows the server, the sample bots or a terminal: books, samples and screens are handed in.
"""
