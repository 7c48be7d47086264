"""What a bot's author is told while it plays: that it hangs, and where; and each error once, then how often.

It knows neither the referee nor the wire.
"""
