"""Running `roost` as a user would: calls, processes, pages of the documentation, and faulty bots for it."""
