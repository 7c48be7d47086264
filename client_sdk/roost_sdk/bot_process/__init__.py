"""A bot in a process of its own: the driver of a seat for code that is not trusted.

Calls go to the process as pickles, which we made. What comes back is parsed as data: nobody unpickles what a bot's
process has written. Nothing here knows the referee.
"""
