"""What tests share, by subject. Nothing here is a test, and no test module imports another.

Each folder mirrors what its users test: games, records (of matches), ladders, arenas, commands.
"""
