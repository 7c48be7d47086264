"""An arena of made-up answers for tests of the page."""
