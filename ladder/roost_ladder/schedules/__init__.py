"""Who plays whom: each schedule a small module, all behind the interface in `schedule`."""
