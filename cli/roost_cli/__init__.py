"""The `roost` command: a thin edge over the other packages. Nothing imports it.

`main` holds the application and turns errors into exit codes. A module per group of commands declares arguments and
options: `games`, `play`, `verify`, `demo` and `showcase` for what happens on this machine, `serve`, `submit`, `records`
and `replay` for what happens around an arena. It imports what does the work when the command runs, so that
`roost --help` is quick.
"""
