"""What pages and the JSON API show, as typed rows: each function asks the arena and arranges what it answers.

A page and its JSON are two faces of the same rows. It knows neither HTTP nor markup.
"""
