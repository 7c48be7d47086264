// The outcomes of chance that follow from a seed, as docs/formats/chance.md defines them, and the check of a match
// against them. Nothing here comes from Roost's Python code, so that the check is a second opinion.

import { fromHex, sha256, shake256, toHex } from "./hashing.js";

const WORDS = 1n << 64n;
const FACES = ["1", "2", "3", "4", "5", "W"];
const PORTIONS_PLAYED = { 2: 18, 3: 24, 4: 28 };
const FLIES = 3;

/**
 * By game: all cards in the order of docs/formats/chance.md, if it has any, and how many each seat is dealt. Where a
 * turn begins with a draw, the starter holds the first card of the pile when the match begins.
 */
const DEALS = {
  karteneck: { deck: numbersAndSignposts, dealt: 6 },
  bratwurmeck: {},
  haecmaec: { deck: ingredientsAndFlies, dealt: 4, drawsFirst: true },
};

function numbersAndSignposts({ signposts }) {
  const numbers = ["1", "2", "3", "4", "5"].flatMap((card) => Array(17).fill(card));
  return [...numbers, ...signposts.map((signpost) => `W${signpost}`)];
}

function ingredientsAndFlies({ ingredients }) {
  const rows = ingredients.flatMap(({ kind, value, copies }) => Array(copies).fill(`${kind}-${value}`));
  return [...rows, ...Array(FLIES).fill("fly")];
}

/** The tape of one seed: every purpose has a stream of its own. */
export class Tape {
  /** @param {string} seed in hexadecimal */
  constructor(seed) {
    this.seed = seed.toLowerCase();
  }

  /** The stream of bytes of a purpose. */
  stream(purpose) {
    return shake256(new TextEncoder().encode(`roost-tape/1:${this.seed}:${purpose}`));
  }

  /** One of `items`. */
  pick(purpose, items) {
    const words = readWords(this.stream(purpose));
    const size = BigInt(items.length);
    const fair = WORDS - (WORDS % size);
    let word = words.next().value;
    while (word >= fair) word = words.next().value;
    return items[Number(word % size)];
  }

  /** `count` of `items`, in the order drawn. */
  draw(purpose, items, count) {
    const words = readWords(this.stream(purpose));
    let keys;
    do keys = items.map(() => words.next().value);
    while (new Set(keys).size < keys.length);
    const order = items.map((_, i) => i).sort((a, b) => (keys[a] < keys[b] ? -1 : 1));
    return order.slice(0, count).map((i) => items[i]);
  }

  /** `count` rolls of the die. */
  dice(purpose, count) {
    const rolls = [];
    for (const byte of this.stream(purpose)) {
      if (rolls.length === count) break;
      if (byte < 252) rolls.push(FACES[byte % 6]);
    }
    return rolls;
  }
}

function* readWords(bytes) {
  for (;;) {
    let word = 0n;
    for (let i = 0; i < 8; i += 1) word = (word << 8n) | BigInt(bytes.next().value);
    yield word;
  }
}

/** The commitment of a seed: the SHA-256 of its bytes, in hexadecimal. */
export const commitmentOf = (seed) => toHex(sha256(fromHex(seed)));

/** All cards of the match; empty if the game has none. */
export function deckOf(game, options) {
  return DEALS[game]?.deck?.(options) ?? [];
}

/** What the seed of `document` gives for the purpose of a listed outcome; `undefined` for an unknown purpose. */
function expected(tape, document, { purpose, outcome, step }) {
  const [name] = purpose.split("/");
  const { game, options, players } = document;
  const deck = deckOf(game, options);
  switch (name) {
    case "starter":
      return tape.pick(purpose, [...Array(players).keys()]);
    case "portions":
      return tape.draw(purpose, options.portions.map(({ value }) => value), PORTIONS_PLAYED[players]);
    case "deck":
      return tape.draw(purpose, deck, deck.length);
    case "reshuffle":
      return tape.draw(purpose, [...outcome].sort((a, b) => deck.indexOf(a) - deck.indexOf(b)), outcome.length);
    case "roll":
      return tape.dice(purpose, outcome.length);
    case "slap":
      return tape.pick(purpose, slappers(document, step));
    default:
      return undefined;
  }
}

/** The seats that slapped in the reactions around `step`, ascending. */
function slappers(document, step) {
  const frame = document.frames.find((candidate) => candidate.step >= step && candidate.moves.some(isSlap));
  return (frame?.moves.filter(isSlap) ?? []).map(({ seat }) => seat).sort((a, b) => a - b);
}

const isSlap = ({ move }) => Boolean(move.slap);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * @typedef {{what: string, verdict: "good" | "bad" | "open", detail: string}} Finding
 * One thing that was checked. `open` means that it cannot be checked.
 */

/** Checks the seed of `document` against its commitment, and what chance did in the match against its seed. */
export function checkDeal(document) {
  if (!document.seed) return [{ what: "The seed", verdict: "open", detail: unrevealed(document) }];
  const tape = new Tape(document.seed);
  return [checkCommitment(document), ...checkTable(tape, document), ...checkOutcomes(tape, document)];
}

const unrevealed = ({ result }) =>
  result ? "This record has no seed, so its deal cannot be checked." : "It is revealed after the match.";

/** @returns {Finding} */
function checkCommitment({ seed, commitment }) {
  const what = "The seed and its commitment";
  if (!commitment) return { what, verdict: "open", detail: "The record has no commitment. Its seed may be any." };
  const good = commitmentOf(seed) === commitment.toLowerCase();
  const detail = good
    ? "The SHA-256 of the seed is the commitment, so the seed was fixed before the match."
    : `The SHA-256 of the seed is ${commitmentOf(seed)}, not the commitment.`;
  return { what, verdict: good ? "good" : "bad", detail };
}

/** The deal that lies on the table in the first frame. */
function checkTable(tape, { game, options, players, frames }) {
  const deal = frames[0];
  if (!deal || deal.step !== 0) return [];
  const starter = tape.pick("starter", [...Array(players).keys()]);
  const findings = [compared("Who starts", starter, deal.view.starter, seatName)];
  const deck = deckOf(game, options);
  const hands = deal.view.hands?.some(Boolean) ? deal.view.hands : null;
  if (!deck.length || !hands) return findings;
  const dealt = dealtHands(game, tape.draw("deck", deck, deck.length), players, starter);
  const seen = dealt.map((hand, seat) => hands[seat] && hand);
  return [...findings, compared("The hands dealt", seen, hands.map((hand) => hand && sorted(hand)), handsInWords)];
}

function dealtHands(game, pile, players, starter) {
  const { dealt: size, drawsFirst } = DEALS[game];
  const hands = Array.from({ length: players }, (_, seat) => pile.slice(seat * size, (seat + 1) * size));
  if (drawsFirst) hands[starter].push(pile[players * size]);
  return hands.map(sorted);
}

const sorted = (cards) => [...cards].sort();
const seatName = (seat) => `seat ${seat}`;
const handsInWords = (hands) =>
  hands.flatMap((hand, seat) => (hand ? [`seat ${seat}: ${hand.join(" ")}`] : [])).join("; ");

/** @returns {Finding} */
function compared(what, fromSeed, found, inWords) {
  if (same(fromSeed, found)) return { what, verdict: "good", detail: `As the seed says: ${inWords(found)}.` };
  return { what, verdict: "bad", detail: `The seed says ${inWords(fromSeed)}; the match has ${inWords(found)}.` };
}

const TITLES = {
  starter: "Starter",
  portions: "Portions",
  deck: "Deck",
  reshuffle: "Reshuffles",
  roll: "Rolls of dice",
  slap: "Quickest slaps",
};

/** Every outcome that the document lists, summed up by name. */
function checkOutcomes(tape, document) {
  const byName = new Map();
  for (const entry of document.chance ?? []) {
    const name = entry.purpose.split("/")[0];
    byName.set(name, [...(byName.get(name) ?? []), entry]);
  }
  return [...byName].map(([name, entries]) => summed(TITLES[name] ?? name, entries, tape, document));
}

/** @returns {Finding} */
function summed(what, entries, tape, document) {
  const wrong = entries.find((entry) => !same(expected(tape, document, entry), entry.outcome));
  if (wrong) {
    const detail = `${wrong.purpose} at step ${wrong.step} does not follow from the seed.`;
    return { what, verdict: "bad", detail };
  }
  const detail = entries.length === 1 ? "It follows from the seed." : `All ${entries.length} follow from the seed.`;
  return { what, verdict: "good", detail };
}
