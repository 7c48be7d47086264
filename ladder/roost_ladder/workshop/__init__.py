"""The author's workshop: examine a bot, ask another one for a second opinion, weigh what a decision was worth.

It knows bots only as it is handed them, and prints nothing.
"""
