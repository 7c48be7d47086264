"""What people look up: matches by many filters, one match, one bot's record, its faults.

Like `queries` it only reads. It must not know messages, keys or a running arena.
"""
