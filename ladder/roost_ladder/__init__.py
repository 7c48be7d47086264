"""Who plays whom, and how strong everyone is."""
