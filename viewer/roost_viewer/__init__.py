"""The viewer's files: the custom element `<roost-match>` that draws a match from its frames.

Plain ES modules, style sheets and drawings for the page, the command and the SDK to serve or embed. No Python in it.
"""
