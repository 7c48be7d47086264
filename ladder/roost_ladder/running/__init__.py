"""How a ladder is run: bots in processes of their own, planned blocks in order, everything into a book."""
