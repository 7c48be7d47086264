"""The `roost` command: options in, one call to the packages below, one printer. Nothing imports it.

`main` holds the application and turns errors into exit codes, `options` what commands share. A command imports what it
needs when it runs, so that `roost --help` is quick.
"""
