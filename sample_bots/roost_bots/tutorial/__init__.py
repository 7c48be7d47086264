"""The five steps of docs/bots/tutorial.md, from the first bot to one that beats `careful` in Karteneck.

Each is the bot before it with one more idea. They are read and compared, and are not among the samples.
"""
