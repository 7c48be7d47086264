"""`python -m roost_ladder.running N` is a child process that serves the pipe with the number N (see `child`)."""

from roost_ladder.running.child import main

main()
