package client

import (
	"testing"
	"time"

	"roostbot/roostv1"
)

func TestTheDeadlineIsARoundTripAndUpTo50MsEarlier(t *testing.T) {
	came := time.Now()
	for left, think := range map[uint32]time.Duration{5000: 4929500 * time.Microsecond, 100: 69500 * time.Microsecond} {
		clock := clockOf(&roostv1.Decision{TimeLeftMs: left, BankLeftMs: 40, LatencyUs: 20_500}, came)
		if clock.Deadline != came.Add(think) {
			t.Errorf("of %d ms a bot may think for %v", left, clock.Deadline.Sub(came))
		}
		if clock.BankLeft != 40*time.Millisecond || clock.Latency != 20_500*time.Microsecond {
			t.Errorf("the clock is %v", clock)
		}
	}
}

func TestTheOutboxSplitsABatch(t *testing.T) {
	out := newOutbox()
	out.setMaxBytes(30)
	for match := uint32(1); match <= 5; match++ {
		out.addAnswers([]*roostv1.Answer{{Match: match, Request: 7}})
	}
	out.addPong(3)
	var matches []uint32
	for first := true; len(matches) < 5; first = false {
		message := out.next()
		if (message.Pong == 3) != first {
			t.Errorf("a pong goes first, and once: %v", message)
		}
		for _, answer := range message.Answers {
			matches = append(matches, answer.Match)
		}
	}
	for index, match := range matches {
		if match != uint32(index)+1 {
			t.Errorf("the answers are those of %v", matches)
		}
	}
}
