"""`python -m roost_ladder.runs N` is a child process that serves the pipe with the number N (see `child`)."""

from roost_ladder.runs.child import main

main()
