"""What ratings are made of, added up by group of bots and kept in the database, and ratings of the past.

It knows which matches count, and nothing of competitions' rules, requests or messages.
"""
