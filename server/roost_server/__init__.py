"""The arena: where bot programs connect and play."""
