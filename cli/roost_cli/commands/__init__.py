"""One file for each command or group of commands: its options, one call, one printer.

What a command does lives in the packages below, where Python and the page reach it too.
"""
