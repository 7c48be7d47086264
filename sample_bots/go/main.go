// A bot for Roost arenas in Go: reads the command line, connects, leaves on Ctrl-C.
package main

import (
	"crypto/sha256"
	"crypto/x509"
	"embed"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"roostbot/client"
	"roostbot/games"
	"roostbot/roostv1"
)

const (
	keyVariable     = "ROOST_KEY"
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// The version is a fingerprint of the code. An arena keeps a record for each version, so changed code begins a new one,
// and the same code continues the old one wherever it runs.
//
//go:embed *.go client/*.go games/*.go
var sources embed.FS

func fingerprint() string {
	digest := sha256.New()
	check(fs.WalkDir(sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		fmt.Fprintf(digest, "%s:%d:%s", path, len(text), text)
		return err
	}))
	return hex.EncodeToString(digest.Sum(nil))[:16]
}

func check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "roostbot: %v (see -help)\n", err)
		os.Exit(exitUsage)
	}
}

// secrets: the key is no argument, since everyone on the machine sees arguments. It is in a file or in the environment.
func secrets(keyFile string, withTLS bool, tlsCA string) client.Secrets {
	secrets := client.Secrets{Key: os.Getenv(keyVariable), TLS: withTLS || tlsCA != ""}
	if keyFile != "" {
		key, err := os.ReadFile(keyFile)
		check(err)
		secrets.Key = string(key)
	}
	secrets.Key = strings.TrimSpace(secrets.Key)
	if tlsCA != "" {
		certificate, err := os.ReadFile(tlsCA)
		check(err)
		secrets.Trust = x509.NewCertPool()
		if !secrets.Trust.AppendCertsFromPEM(certificate) {
			check(fmt.Errorf("%s is not a certificate in PEM form", tlsCA))
		}
	}
	return secrets
}

func leaveOnSignals(client *client.Client) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	<-signals
	log.Printf("leaving; matches to play to the end: %d; Ctrl-C again to stop at once", client.Playing())
	client.Leave()
	<-signals
	os.Exit(exitInterrupted)
}

func main() {
	server := flag.String("server", "127.0.0.1:50051", "where the arena is, `HOST:PORT`")
	keyFile := flag.String("key-file", "", "the `FILE` with the key; by default "+keyVariable+", or none")
	withTLS := flag.Bool("tls", false, "connect with TLS")
	tlsCA := flag.String("tls-ca", "", "connect with TLS, and trust this certificate in PEM form, a `FILE`")
	name := flag.String("name", "gopher", "the bot's `NAME` there")
	matches := flag.Uint("matches", 4, "play up to `K` matches at the same time")
	verbose := flag.Bool("verbose", false, "log every match")
	flag.Parse()
	log.SetFlags(log.Ltime)

	var played, faults atomic.Int64
	bot := client.Bot{
		Name: *name, Version: fingerprint(), Games: games.Names(), MaxMatches: uint32(*matches),
		Choose: games.Choose,
		Ended: func(match *roostv1.MatchStarted, result *roostv1.Result) {
			if len(result.Places) > 0 {
				played.Add(1)
			}
			for _, fault := range result.Faults {
				if fault.Seat == match.Seat {
					faults.Add(1)
					log.Printf("match %s (%s): %s at step %d", match.MatchId, match.Game, fault.Kind, fault.Step)
				}
			}
			if *verbose {
				log.Printf("match %s (%s): places %v, scores %v", match.MatchId, match.Game, result.Places, result.Scores)
			}
		},
		Log: func(text string) { log.Print(text) },
	}
	arena := client.New(*server, secrets(*keyFile, *withTLS, *tlsCA), bot)
	go leaveOnSignals(arena)
	if err := arena.Play(); err != nil {
		log.Print(err)
		os.Exit(exitFailed)
	}
	log.Printf("left: %d played, %d faults", played.Load(), faults.Load())
}
