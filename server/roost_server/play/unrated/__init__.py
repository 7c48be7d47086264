"""What is played and never rated: the blocks of bots that have to qualify, and challenges.

It says what is played; tables, records and phases are not its business.
"""
