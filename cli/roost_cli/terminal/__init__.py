"""What is printed: tables, progress, live screens, drawings of a match. The only place that imports rich.

It is handed values and prints them; it plays nothing and asks no arena.
"""
