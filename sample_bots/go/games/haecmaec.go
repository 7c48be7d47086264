package games

import (
	"roostbot/client"
	"roostbot/roostv1"
)

const (
	fat           = 8
	worthDoubling = 11
)

// Häc Mäc: closes fat burgers, leaves lean ones to the next seat, and suspects only what everyone can see.
func haecmaec(asked client.Asked) *roostv1.Move {
	view, options := asked.View.GetHaecmaec(), asked.Match.Options.GetHaecmaec()
	table := burger{view.Burger, options, asked.Match.Players}
	score := table.turn
	if view.Phase == roostv1.HaecmaecPhase_HAECMAEC_PHASE_REACT {
		score = table.reaction
	}
	return best(asked.Legal, func(move *roostv1.Move) int { return score(move.GetHaecmaec()) })
}

// A card is the number of its row on the ingredient sheet. The number after the last row is the fly.
type burger struct {
	cards   []uint32
	options *roostv1.HaecmaecOptions
	players uint32
}

func (b burger) value(card uint32) int {
	if int(card) < len(b.options.Values) {
		return int(b.options.Values[card])
	}
	return 0
}

func (b burger) size() int {
	size := 0
	for _, card := range b.cards {
		size += b.value(card)
	}
	return size
}

func (b burger) alike(card uint32) int {
	return count(b.cards, func(laid uint32) bool { return b.options.Kinds[laid] == b.options.Kinds[card] })
}

func (b burger) turn(move *roostv1.HaecmaecMove) int {
	// An absent play is not card 0.
	isFly := move.Play != nil && int(*move.Play) == len(b.options.Values)
	size := b.size()
	switch {
	case move.Close != roostv1.HaecmaecTop_HAECMAEC_TOP_NONE:
		return b.closing(move, size)
	case isFly && size >= fat:
		// A fat burger that cannot be closed here would be closed by the next seat.
		return 500
	case isFly:
		return -500
	}
	return b.safety(*move.Play, size)
}

func (b burger) closing(move *roostv1.HaecmaecMove, size int) int {
	if size < fat {
		return -1000
	}
	score := 1000
	if (move.Close == roostv1.HaecmaecTop_HAECMAEC_TOP_DOUBLE) == (size >= worthDoubling) {
		score += 100
	}
	if move.Play != nil {
		// The new burger begins with the least that the hand has.
		score -= b.value(*move.Play)
	}
	return score
}

// safety: no third of a kind if there is a choice; then high cards, unless the next seat could close a fat burger.
func (b burger) safety(card uint32, size int) int {
	closable := len(b.cards)+1 >= 2
	if b.players == 2 {
		closable = len(b.cards)+1 >= 3
	}
	score := b.value(card)
	if closable && size+b.value(card) >= fat {
		score = -100 - b.value(card)
	}
	if b.alike(card) >= 2 {
		score -= 300
	}
	return score
}

func (b burger) reaction(move *roostv1.HaecmaecMove) int {
	top := b.cards[len(b.cards)-1]
	isThird, size := b.alike(top) >= 3, b.size()
	if isThird {
		// A suspected card leaves the burger before a slap counts.
		size -= b.value(top)
	}
	score := 0
	if (move.Suspect == roostv1.HaecmaecSuspect_HAECMAEC_SUSPECT_YES) == isThird {
		score += 10
	}
	doubles := move.Slap == roostv1.HaecmaecSlap_HAECMAEC_SLAP_DOUBLE
	slaps := doubles || move.Slap == roostv1.HaecmaecSlap_HAECMAEC_SLAP_NORMAL
	if slaps == (size >= fat) && move.Slap != roostv1.HaecmaecSlap_HAECMAEC_SLAP_FLY {
		score += 5
	}
	if doubles == (size >= worthDoubling) {
		score++
	}
	return score
}
