"""What is begun next, and how much of it: blocks, places, what bots may use in an hour, and the arena's load.

It knows blocks and settings, and nothing of tables, sessions or streams.
"""
