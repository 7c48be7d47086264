"""Arenas on loopback and as processes, and the bots that connect to them: honest, raw and misbehaving."""
