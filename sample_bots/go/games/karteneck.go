package games

import (
	"roostbot/client"
	"roostbot/roostv1"
)

const (
	// A card is a number: 1 to 5, or for worm cards, which count 5, 10 + the signpost.
	firstWormCard = 10
	goodTotal     = 25
)

// Heckmeck am Karteneck: steals, aims at totals that steal, keeps a worm back, stops at a good total.
func karteneck(asked client.Asked) *roostv1.Move {
	view, seat := asked.View.GetKarteneck(), asked.Match.Seat
	display := split(view.Displays, view.DisplaySizes)[seat]
	targets := tops(view.Stacks, view.StackSizes, seat)
	return best(asked.Legal, func(move *roostv1.Move) int {
		lay := move.GetKarteneck().Lay
		switch {
		case move.GetKarteneck().Steal:
			return 1000
		case len(lay) == 0:
			// A display without a worm is worth nothing, so it is built on as long as possible.
			if hasWormCard(display) && view.Totals[seat] >= goodTotal {
				return 100
			}
			return -200
		case hasWormCard(append(display[:len(display):len(display)], lay...)) &&
			contains(targets, view.Totals[seat]+uint32(cardPoints(lay))):
			return 500
		}
		return worth(lay, view.Hand)
	})
}

func isWormCard(card uint32) bool {
	return card > firstWormCard
}

func hasWormCard(cards []uint32) bool {
	return count(cards, isWormCard) > 0
}

func cardPoints(cards []uint32) int {
	points := 0
	for _, card := range cards {
		if isWormCard(card) {
			card = wormPoints
		}
		points += int(card)
	}
	return points
}

// worth: many points are good, but one of several worms is kept for the next round.
func worth(lay, hand []uint32) int {
	held := count(hand, isWormCard)
	if isWormCard(lay[0]) && len(lay) == held && held > 1 {
		return cardPoints(lay) - 100
	}
	return cardPoints(lay)
}

// split is a list of lists, which the protocol writes flat.
func split(flat, sizes []uint32) [][]uint32 {
	lists := make([][]uint32, len(sizes))
	for seat, size := range sizes {
		lists[seat], flat = flat[:size], flat[size:]
	}
	return lists
}
