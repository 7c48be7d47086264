"""The games: their rules, chance, the referee, and the record of a match; a folder for each game.

Nothing here reads or writes files, looks at a clock, or imports a library or another package of ours.
"""
