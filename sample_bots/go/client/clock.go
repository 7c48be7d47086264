package client

import (
	"time"

	"roostbot/roostv1"
)

const (
	mostSpare  = 50 * time.Millisecond
	spareShare = 10 // a tenth
)

// Clock is how much time a bot has for a decision.
type Clock struct {
	TimeLeft time.Duration // how long the answer may take, bank included
	BankLeft time.Duration // how much of that is the bank, which is not refilled during a match
	Latency  time.Duration // the last round trip
	// Deadline is until when the bot may think. The arena does not count the usual round trip. This is also a round trip
	// earlier, and by up to 50 ms more, so that an answer is in time even if the network is slower for once.
	Deadline time.Time
}

func clockOf(decision *roostv1.Decision, came time.Time) Clock {
	left := time.Duration(decision.TimeLeftMs) * time.Millisecond
	bank := time.Duration(decision.BankLeftMs) * time.Millisecond
	latency := time.Duration(decision.LatencyUs) * time.Microsecond
	spare := left / spareShare
	if spare > mostSpare {
		spare = mostSpare
	}
	return Clock{left, bank, latency, came.Add(left - latency - spare)}
}
