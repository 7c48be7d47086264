// A client for Roost arenas: one stream on which many matches are played, and what to do when it breaks.
//
// The protocol is described in docs/formats/protocol.md. This folder is all of it that a bot needs, but for the moves.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { status } from '@grpc/grpc-js';

import { timeOf } from './clock.js';
import { connectionTo } from './credentials.js';
import { Outbox } from './outbox.js';
import { loadArenaClient } from './protocol.js';

const CLIENT = 'roost-node 0.2.0';

const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
const COMMITMENTS_REMEMBERED = 10_000;

const CHANNEL_OPTIONS = {
  // An arena says something every few seconds. After a longer silence, ask whether it is still there.
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // A new connection for each attempt: when to try again is decided here, not in the library.
  'grpc.use_local_subchannel_pool': 1,
};

// These errors may be temporary. Any other status is final: trying again the same way is useless.
const WORTH_A_RETRY = new Set([
  status.OK,
  status.UNAVAILABLE,
  status.ABORTED,
  status.CANCELLED,
  status.DATA_LOSS,
  status.DEADLINE_EXCEEDED,
  status.INTERNAL,
  status.UNKNOWN,
]);

/** An arena with the wrong certificate counts as unavailable for gRPC, but will have the same one next time. */
function isWorthARetry(code, details) {
  return WORTH_A_RETRY.has(code) && !/certificate/i.test(details);
}

export class Client {
  #settings;
  #Stub;
  #connection;
  #outbox = null;
  #resumeToken = '';
  #leaving = false;
  #pause = new AbortController();
  // Only the announcement of a match is kept. Each view is complete, so nothing else has to be remembered,
  // and a match that continues after a lost connection needs no special care.
  #matches = new Map();
  #commitments = new Map();

  /**
   * `server` is HOST:PORT, and `proto` the folder that contains `roost/v1/`. The bot has a `name`, a `version` that
   * changes with its code and `games` that it plays, and takes up to `maxMatches` matches at once. `key` says who it
   * is. With `tls`, or a certificate to trust in `tlsCa`, the connection is encrypted.
   *
   * `choose(asked)` returns one of `asked.legal`. It gets `game`, `view`, `legal`, `seat`, `players`, `options`, `bots`
   * (the names, by seat), `matchId` and `clock`, as clock.js says. If it throws, the arena is told that the bot
   * crashed. `ended(match, result)` is called after every match, `log(text)` with what happens to the connection.
   */
  constructor({ ended = () => {}, log = () => {}, maxMatches = 1, ...settings }) {
    this.#settings = { ended, log, maxMatches, ...settings };
    this.#Stub = loadArenaClient(settings.proto);
    this.#connection = connectionTo(settings);
  }

  /** How many matches run now. */
  get playing() {
    return this.#matches.size;
  }

  /** Play until `leave` has been called and the running matches are over. Throws if the arena refuses the bot. */
  async play() {
    let pause = SHORTEST_PAUSE_MS;
    while (!this.#hasLeft()) {
      const { welcomed, code, details } = await this.#visit();
      if (this.#hasLeft()) return;
      if (welcomed) pause = SHORTEST_PAUSE_MS;
      if (code === status.PERMISSION_DENIED && this.#resumeToken) {
        this.#startAfresh();
        continue;
      }
      if (!isWorthARetry(code, details)) throw new Error(`the arena refused: ${details} (${status[code]})`);
      // One line for each time that the arena is gone, not one for each attempt.
      if (pause === SHORTEST_PAUSE_MS) this.#settings.log(`${this.#whatIsMissing(welcomed)}, trying again ...`);
      await this.#rest(pause * (0.5 + Math.random() / 2));
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }

  /** Take no new matches, play the running ones to the end; then `play` returns. */
  leave() {
    this.#leaving = true;
    this.#pause.abort();
    this.#outbox?.add({ leaving: true });
    this.#outbox?.flush();
  }

  #hasLeft() {
    return this.#leaving && this.#matches.size === 0;
  }

  #whatIsMissing(welcomed) {
    const { server } = this.#settings;
    return welcomed ? `the connection to ${server} was lost` : `no arena at ${server} yet`;
  }

  async #rest(ms) {
    // Leaving cuts the pause short; if there are matches to play to the end, the next ones are full pauses again.
    await sleep(ms, undefined, { signal: this.#pause.signal }).catch(() => (this.#pause = new AbortController()));
  }

  /** One stream from hello to its end. Returns whether the arena was reached, and the status at the end. */
  async #visit() {
    const { credentials, metadata } = this.#connection;
    const stub = new this.#Stub(this.#settings.server, credentials, CHANNEL_OPTIONS);
    const call = stub.play(metadata);
    this.#outbox = new Outbox(call);
    this.#introduce();
    let welcomed = false;
    try {
      for await (const message of call) {
        welcomed ||= message.welcome !== null;
        this.#take(message);
      }
      return { welcomed, code: status.OK, details: '' };
    } catch (error) {
      if (error.code === undefined || status[error.code] === undefined) throw error;
      return { welcomed, code: error.code, details: error.details };
    } finally {
      this.#outbox = null;
      stub.close();
    }
  }

  #introduce() {
    const { name, version, games, maxMatches } = this.#settings;
    const bot = { name, version, games, maxMatches };
    const hello = { ...bot, wantsLegal: true, resumeToken: this.#resumeToken, client: CLIENT };
    // The first message carries the hello and nothing else.
    this.#outbox.add({ hello });
    this.#outbox.flush();
    if (this.#leaving) this.#outbox.add({ leaving: true });
  }

  #startAfresh() {
    this.#settings.log('the arena does not remember the running matches of this bot; connecting again');
    this.#resumeToken = '';
    this.#matches.clear();
  }

  /** A message is a batch. Its parts are taken in this order, and all answers to it leave together. */
  #take(message) {
    const came = performance.now();
    if (message.ping) {
      // At once, before any thinking: it measures how far away the bot is.
      this.#outbox.add({ pong: message.ping });
      this.#outbox.flush();
    }
    if (message.welcome) this.#beWelcome(message.welcome, message.ended);
    message.started.forEach((started) => this.#start(started));
    message.decisions.forEach((decision) => this.#decide(decision, came));
    message.ended.forEach((ended) => this.#end(ended));
    message.reveals.forEach((reveal) => this.#check(reveal));
    this.#outbox.flush();
  }

  #beWelcome({ resumeToken, resumed, versionId, maxMessageBytes }, ended) {
    const { name, version, server } = this.#settings;
    if (maxMessageBytes) this.#outbox.maxBytes = maxMessageBytes;
    if (this.#resumeToken) this.#settings.log(`connected again; matches that go on: ${resumed.length}`);
    else this.#settings.log(`${name}, version ${version} (number ${versionId}), plays at ${server}; Ctrl-C to leave`);
    this.#resumeToken = resumeToken;
    // Any other match ended while the connection was broken, so the bot was never told.
    const known = new Set([...resumed, ...ended.map(({ match }) => match)]);
    for (const match of this.#matches.keys()) {
      if (!known.has(match)) this.#matches.delete(match);
    }
  }

  #start(started) {
    this.#matches.set(started.match, started);
    this.#remember(started.matchId, started.commitment);
    this.#outbox.add({ ready: [started.match] });
  }

  #decide(decision, came) {
    const match = this.#matches.get(decision.match);
    if (!match) return;
    const answer = { match: decision.match, request: decision.request };
    try {
      answer.move = { [match.game]: this.#choose(match, decision, came) };
    } catch (error) {
      this.#settings.log(`match ${match.matchId} (${match.game}): the bot crashed: ${error.stack}`);
      answer.crashed = true;
    }
    this.#outbox.add({ answers: [answer] });
  }

  #choose({ game, seat, players, options, bots, matchId }, decision, came) {
    const view = decision.view[game];
    const legal = decision.legal.map((move) => move[game]);
    const clock = timeOf(decision, came);
    return this.#settings.choose({ game, view, legal, seat, players, options: options[game], bots, matchId, clock });
  }

  #end({ match: number, result }) {
    const match = this.#matches.get(number);
    if (!match) return;
    this.#matches.delete(number);
    this.#settings.ended(match, result);
  }

  #remember(matchId, commitment) {
    this.#commitments.set(matchId, commitment);
    if (this.#commitments.size > COMMITMENTS_REMEMBERED) {
      this.#commitments.delete(this.#commitments.keys().next().value);
    }
  }

  /** Whether the arena dealt what it committed itself to. */
  #check({ matchId, seed }) {
    const commitment = this.#commitments.get(matchId);
    this.#commitments.delete(matchId);
    if (commitment && !createHash('sha256').update(seed).digest().equals(commitment)) {
      this.#settings.log(`the seed of match ${matchId} is not the one that the arena committed itself to`);
    }
  }
}
