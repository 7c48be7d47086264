"""Records outside the database: backups and what tells them from the records themselves, and archives of replays.

Nothing here knows what a competition is.
"""
