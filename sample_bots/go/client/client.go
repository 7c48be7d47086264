// Package client plays at Roost arenas: one stream on which many matches are played, and what to do when it breaks.
//
// The protocol is described in docs/formats/protocol.md. This package is all of it that a bot needs, but for the moves.
package client

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"roostbot/roostv1"
)

const (
	library               = "roost-go 0.1.0"
	shortestPause         = 200 * time.Millisecond
	longestPause          = 10 * time.Second
	commitmentsToRemember = 10_000
)

// These errors may be temporary. Any other status is final: trying again the same way is useless.
var worthARetry = map[codes.Code]bool{
	codes.OK: true, codes.Unavailable: true, codes.Aborted: true, codes.Canceled: true, codes.DataLoss: true,
	codes.DeadlineExceeded: true, codes.Internal: true, codes.Unknown: true,
}

// Asked is a decision that a bot has to make.
type Asked struct {
	Match *roostv1.MatchStarted // the announcement: game, seat, players, options, names of the bots
	View  *roostv1.View         // everything that the seat knows
	Legal []*roostv1.Move       // the legal moves
	Clock Clock
}

// Bot is what plays.
type Bot struct {
	Name       string
	Version    string   // it changes with the code
	Games      []string // those that it plays
	MaxMatches uint32   // how many matches it takes at once
	// Choose returns one of the legal moves. It is called for one decision at a time, while the client goes on reading.
	// If it panics, the arena is told that the bot crashed.
	Choose func(Asked) *roostv1.Move
	// Ended is called after every match.
	Ended func(*roostv1.MatchStarted, *roostv1.Result)
	// Log is told what happens to the connection.
	Log func(string)
}

// Client is a bot at an arena.
type Client struct {
	server  string
	secrets Secrets
	bot     Bot

	thinking sync.Mutex // held while the bot chooses

	mutex       sync.Mutex // guards everything below
	outbox      *outbox
	resumeToken string
	leaving     chan struct{}
	matches     map[uint32]*match
	commitments map[string][]byte
}

// Only the announcement of a match is kept, and what was asked last. Each view is complete, so nothing else has to be
// remembered, and a match that continues after a lost connection needs no special care.
type match struct {
	started *roostv1.MatchStarted
	request uint32
}

// New makes a client for the arena at server, HOST:PORT.
func New(server string, secrets Secrets, bot Bot) *Client {
	return &Client{
		server: server, secrets: secrets, bot: bot, leaving: make(chan struct{}),
		matches: map[uint32]*match{}, commitments: map[string][]byte{},
	}
}

// Playing is how many matches run now.
func (c *Client) Playing() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.matches)
}

// Play plays until Leave has been called and the running matches are over. The error says why the arena refuses the
// bot.
func (c *Client) Play() error {
	pause := shortestPause
	for !c.hasLeft() {
		welcomed, err := c.visit()
		if c.hasLeft() {
			return nil
		}
		if welcomed {
			pause = shortestPause
		}
		if status.Code(err) == codes.PermissionDenied && c.startAfresh() {
			continue
		}
		if !mayHelpToRetry(err) {
			return fmt.Errorf("the arena refused: %s (%s)", status.Convert(err).Message(), status.Code(err))
		}
		if pause == shortestPause {
			// One line for each time that the arena is gone, not one for each attempt.
			c.bot.Log(c.whatIsMissing(welcomed) + ", trying again ...")
		}
		c.rest(time.Duration(float64(pause) * (0.5 + rand.Float64()/2)))
		if pause *= 2; pause > longestPause {
			pause = longestPause
		}
	}
	return nil
}

// Leave takes no new matches, and plays the running ones to the end; then Play returns. It is called once.
func (c *Client) Leave() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	close(c.leaving)
	if c.outbox != nil {
		c.outbox.addLeaving()
	}
}

func (c *Client) isLeaving() bool {
	select {
	case <-c.leaving:
		return true
	default:
		return false
	}
}

func (c *Client) hasLeft() bool {
	return c.isLeaving() && c.Playing() == 0
}

func (c *Client) whatIsMissing(welcomed bool) string {
	if welcomed {
		return "the connection to " + c.server + " was lost"
	}
	return "no arena at " + c.server + " yet"
}

func (c *Client) rest(pause time.Duration) {
	if c.isLeaving() {
		time.Sleep(pause)
		return
	}
	select {
	case <-time.After(pause):
	case <-c.leaving:
	}
}

// mayHelpToRetry: an arena with the wrong certificate counts as unavailable for gRPC, but will have the same one next
// time.
func mayHelpToRetry(err error) bool {
	isCertificate := strings.Contains(status.Convert(err).Message(), "certificate")
	return worthARetry[status.Code(err)] && !isCertificate
}

// visit is one stream from hello to its end: whether the arena was reached, and the status at the end.
func (c *Client) visit() (welcomed bool, err error) {
	connection, err := grpc.Dial(c.server, c.secrets.options()...)
	if err != nil {
		return false, err
	}
	defer connection.Close()
	ctx, cancel := context.WithCancel(c.secrets.context())
	defer cancel()
	stream, err := roostv1.NewArenaClient(connection).Play(ctx)
	if err != nil {
		return false, err
	}
	out := newOutbox()
	defer out.close()
	c.introduce(out)
	go out.write(stream)
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return welcomed, nil
		}
		if err != nil {
			return welcomed, err
		}
		welcomed = welcomed || message.Welcome != nil
		c.take(out, message)
	}
}

func (c *Client) introduce(out *outbox) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.outbox = out
	out.hello = &roostv1.Hello{
		Name: c.bot.Name, Version: c.bot.Version, Games: c.bot.Games, MaxMatches: c.bot.MaxMatches,
		WantsLegal: true, ResumeToken: c.resumeToken, Client: library,
	}
	if c.isLeaving() {
		out.addLeaving()
	}
}

// startAfresh forgets everything that an arena does not remember. Whether there was anything.
func (c *Client) startAfresh() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.resumeToken == "" {
		return false
	}
	c.bot.Log("the arena does not remember the running matches of this bot; connecting again")
	c.resumeToken, c.matches = "", map[uint32]*match{}
	return true
}

// take takes a message, which is a batch, in this order. All answers to it leave together.
func (c *Client) take(out *outbox, message *roostv1.ArenaMessage) {
	came := time.Now()
	if message.Ping != 0 {
		// At once, before any thinking: it measures how far away the bot is.
		out.addPong(message.Ping)
	}
	for number, started := range c.note(out, message) {
		c.bot.Ended(started, message.Ended[number].Result)
	}
	if len(message.Decisions) > 0 {
		go c.decide(out, message.Decisions, came)
	}
}

// note keeps what is to be remembered, and returns the matches of message.Ended.
func (c *Client) note(out *outbox, message *roostv1.ArenaMessage) map[int]*roostv1.MatchStarted {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if message.Welcome != nil {
		c.beWelcome(out, message.Welcome, message.Ended)
	}
	for _, started := range message.Started {
		c.matches[started.Match] = &match{started: started}
		c.remember(started)
		out.addReady(started.Match)
	}
	for _, decision := range message.Decisions {
		if match := c.matches[decision.Match]; match != nil {
			match.request = decision.Request
		}
	}
	over := map[int]*roostv1.MatchStarted{}
	for number, ended := range message.Ended {
		if match := c.matches[ended.Match]; match != nil {
			delete(c.matches, ended.Match)
			over[number] = match.started
		}
	}
	for _, reveal := range message.Reveals {
		c.check(reveal)
	}
	return over
}

func (c *Client) beWelcome(out *outbox, welcome *roostv1.Welcome, ended []*roostv1.MatchEnded) {
	if welcome.MaxMessageBytes > 0 {
		out.setMaxBytes(int(welcome.MaxMessageBytes))
	}
	if c.resumeToken != "" {
		c.bot.Log(fmt.Sprintf("connected again; matches that go on: %d", len(welcome.Resumed)))
	} else {
		c.bot.Log(fmt.Sprintf("%s, version %s (number %d), plays at %s; Ctrl-C to leave",
			c.bot.Name, c.bot.Version, welcome.VersionId, c.server))
	}
	c.resumeToken = welcome.ResumeToken
	// Any other match ended while the connection was broken, so the bot was never told.
	known := map[uint32]bool{}
	for _, number := range welcome.Resumed {
		known[number] = true
	}
	for _, end := range ended {
		known[end.Match] = true
	}
	for number := range c.matches {
		if !known[number] {
			delete(c.matches, number)
		}
	}
}

// decide answers the decisions of a message, while the next messages are read.
func (c *Client) decide(out *outbox, decisions []*roostv1.Decision, came time.Time) {
	c.thinking.Lock()
	defer c.thinking.Unlock()
	var answers []*roostv1.Answer
	for _, decision := range decisions {
		if started := c.wanted(decision); started != nil {
			answers = append(answers, c.answer(started, decision, came))
		}
	}
	out.addAnswers(answers)
}

// wanted is the match of a decision, or nil if its time has run out, or the match is over.
func (c *Client) wanted(decision *roostv1.Decision) *roostv1.MatchStarted {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	match := c.matches[decision.Match]
	if match == nil || match.request != decision.Request {
		return nil
	}
	return match.started
}

func (c *Client) answer(
	started *roostv1.MatchStarted, decision *roostv1.Decision, came time.Time,
) (answer *roostv1.Answer) {
	answer = &roostv1.Answer{Match: decision.Match, Request: decision.Request}
	defer func() {
		if failure := recover(); failure != nil {
			c.bot.Log(fmt.Sprintf("match %s (%s): the bot crashed: %v\n%s",
				started.MatchId, started.Game, failure, debug.Stack()))
			answer.Crashed = true
		}
	}()
	answer.Move = c.bot.Choose(Asked{started, decision.View, decision.Legal, clockOf(decision, came)})
	return answer
}

func (c *Client) remember(started *roostv1.MatchStarted) {
	if len(c.commitments) >= commitmentsToRemember {
		c.commitments = map[string][]byte{}
	}
	c.commitments[started.MatchId] = started.Commitment
}

// check: whether the arena dealt what it committed itself to.
func (c *Client) check(reveal *roostv1.Reveal) {
	commitment, known := c.commitments[reveal.MatchId]
	delete(c.commitments, reveal.MatchId)
	if sum := sha256.Sum256(reveal.Seed); known && string(sum[:]) != string(commitment) {
		c.bot.Log("the seed of match " + reveal.MatchId + " is not the one that the arena committed itself to")
	}
}
