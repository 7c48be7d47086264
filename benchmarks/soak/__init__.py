"""Long runs: arenas under load for an hour, and very many matches, each verified."""
