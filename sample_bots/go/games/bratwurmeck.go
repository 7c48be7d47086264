package games

import (
	"roostbot/client"
	"roostbot/roostv1"
)

const (
	worm       = 6
	wormPoints = 5
	// Without a worm a turn is worth nothing, so worms are taken a little sooner than their points suggest.
	wormBonus = 3
)

// Heckmeck am Bratwurmeck: takes worms early, and stops as soon as that takes a tile.
func bratwurmeck(asked client.Asked) *roostv1.Move {
	return best(asked.Legal, func(move *roostv1.Move) int {
		if prize := prize(move.GetBratwurmeck(), asked); prize > 0 {
			return 1000 * prize
		}
		return promise(move.GetBratwurmeck(), asked.View.GetBratwurmeck().Roll)
	})
}

func facePoints(face uint32) int {
	if face == worm {
		return wormPoints
	}
	return int(face)
}

// prize is how many worms a move wins at once; a stolen tile counts twice, since another seat loses it.
func prize(move *roostv1.BratwurmeckMove, asked client.Asked) int {
	view := asked.View.GetBratwurmeck()
	hasWorm := move.Take == worm || contains(view.Aside, worm)
	if move.Then == roostv1.BratwurmeckThen_BRATWURMECK_THEN_ROLL || !hasWorm {
		return 0
	}
	taken := count(view.Roll, func(face uint32) bool { return face == move.Take })
	total := view.Total + uint32(facePoints(move.Take)*taken)
	if move.Then == roostv1.BratwurmeckThen_BRATWURMECK_THEN_STOP_AND_STEAL {
		return 2 * wormsOn(total, asked)
	}
	// The grill is sorted by value, and the tile to take is the highest that the total reaches.
	worms := 0
	for _, tile := range view.Grill {
		if tile <= total {
			worms = wormsOn(tile, asked)
		}
	}
	return worms
}

func wormsOn(tile uint32, asked client.Asked) int {
	options := asked.Match.Options.GetBratwurmeck()
	for number, value := range options.TileValues {
		if value == tile {
			return int(options.TileWorms[number])
		}
	}
	return 0
}

// promise: points are good, but each die set aside is one less to roll. To stop without a tile is worst.
func promise(move *roostv1.BratwurmeckMove, roll []uint32) int {
	dice := count(roll, func(face uint32) bool { return face == move.Take })
	promise := dice * (facePoints(move.Take) - 1)
	if move.Take == worm {
		promise += wormBonus
	}
	if move.Then != roostv1.BratwurmeckThen_BRATWURMECK_THEN_ROLL {
		promise -= 500
	}
	return promise
}
