"""Tables, deals and positions by script, and a toy game. They know the rules, and nothing about bots or arenas."""
