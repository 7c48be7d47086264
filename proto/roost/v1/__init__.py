"""Version 1 of the wire contract. The messages stand in the `.proto` files beside this one."""
