"""What `roost new` puts into a folder: a bot for each game, and the files that go with it. The bots run as they are."""
