"""The rules of the games, the tape that is their luck, and the referee: no input, no output, no clock."""
