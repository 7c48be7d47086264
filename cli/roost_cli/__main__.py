"""`python -m roost_cli` is the `roost` command."""

from roost_cli.main import main

if __name__ == "__main__":
    main()
