"""Everything that is printed: tables, progress, live screens, matches move by move. The only place that imports rich.

It is handed values and prints them; it plays nothing and asks no arena.
"""
