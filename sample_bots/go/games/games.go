// Package games has the strategies: small ones, which beat a bot that moves at random.
package games

import (
	"roostbot/client"
	"roostbot/roostv1"
)

var strategies = map[string]func(client.Asked) *roostv1.Move{
	"karteneck":   karteneck,
	"bratwurmeck": bratwurmeck,
	"haecmaec":    haecmaec,
}

// Names are the games that the bot plays.
func Names() []string {
	return []string{"karteneck", "bratwurmeck", "haecmaec"}
}

// Choose returns one of the legal moves.
func Choose(asked client.Asked) *roostv1.Move {
	return strategies[asked.Match.Game](asked)
}

// best is the move with the highest score, the first of these if there are several.
func best(moves []*roostv1.Move, score func(*roostv1.Move) int) *roostv1.Move {
	found, highest := moves[0], score(moves[0])
	for _, move := range moves[1:] {
		if reached := score(move); reached > highest {
			found, highest = move, reached
		}
	}
	return found
}

// tops are the last items of a list of lists, which the protocol writes flat; of every seat but one that has any.
func tops(flat, sizes []uint32, but uint32) []uint32 {
	var last []uint32
	end := uint32(0)
	for seat, size := range sizes {
		end += size
		if size > 0 && uint32(seat) != but {
			last = append(last, flat[end-1])
		}
	}
	return last
}

func contains(list []uint32, item uint32) bool {
	return count(list, func(each uint32) bool { return each == item }) > 0
}

func count(list []uint32, condition func(uint32) bool) int {
	found := 0
	for _, each := range list {
		if condition(each) {
			found++
		}
	}
	return found
}
