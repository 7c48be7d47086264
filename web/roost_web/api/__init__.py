"""The JSON API: the rows of the pages, for programs. It does not ask the arena itself."""
