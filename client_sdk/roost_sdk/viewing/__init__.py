"""What a viewer draws: the frames of a match, recorded or live, and pages that have the viewer in them.

It knows the games only by their rules and narrations, and the viewer only by its files. It does not draw.
"""
