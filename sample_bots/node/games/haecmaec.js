// Häc Mäc: closes fat burgers, leaves lean ones to the next seat, and suspects only what everyone can see.

import { best, count, sum } from '../lists.js';

const FAT = 8;
const WORTH_DOUBLING = 11;
const REACTING = 'HAECMAEC_PHASE_REACT';
const NO_TOP = 'HAECMAEC_TOP_NONE';
const DOUBLING_TOP = 'HAECMAEC_TOP_DOUBLE';
const SUSPECTS = 'HAECMAEC_SUSPECT_YES';
const NO_SLAP = ['HAECMAEC_SLAP_NOT_ASKED', 'HAECMAEC_SLAP_NO'];
const SLAP_WITH_TOP = ['HAECMAEC_SLAP_NORMAL', 'HAECMAEC_SLAP_DOUBLE'];

/** One of the legal moves: a card or a close in a turn, or a reaction to what another seat has laid. */
export function choose({ view, legal, players, options }) {
  // A card is the number of its row on the ingredient sheet. The number after the last row is the fly.
  const table = { burger: view.burger, values: options.values, kinds: options.kinds, players };
  return view.phase === REACTING ? react(legal, table) : takeTurn(legal, table);
}

function takeTurn(legal, table) {
  const closes = legal.filter((move) => move.close !== NO_TOP);
  const plays = legal.filter((move) => move.close === NO_TOP);
  const size = points(table.burger, table);
  if (closes.length > 0 && size >= FAT) return close(closes, size, table);
  // A fat burger that cannot be closed here would be closed by the next seat.
  const fly = plays.find((move) => move.play === table.values.length);
  if (fly && size >= FAT) return fly;
  return best(plays.filter((move) => move !== fly), (move) => safety(move.play, table));
}

function close(closes, size, { values }) {
  const wanted = closes.filter((move) => (move.close === DOUBLING_TOP) === (size >= WORTH_DOUBLING));
  // The new burger begins with the least that the hand has. There is none if no bottom is left.
  return best(wanted.length > 0 ? wanted : closes, (move) => -(values[move.play] ?? 0));
}

/** No third of a kind if there is a choice; then high cards, unless the next seat could close a fat burger. */
function safety(card, table) {
  const { burger, kinds, values, players } = table;
  const isThird = count(burger, (laid) => kinds[laid] === kinds[card]) >= 2;
  const isClosable = burger.length + 1 >= (players === 2 ? 3 : 2);
  const isFat = isClosable && points(burger, table) + values[card] >= FAT;
  return (isThird ? -1000 : 0) + (isFat ? -100 - values[card] : values[card]);
}

function react(legal, table) {
  const { burger, kinds } = table;
  const kindOnTop = kinds[burger.at(-1)];
  const isThird = count(burger, (card) => kinds[card] === kindOnTop) >= 3;
  // A suspected card leaves the burger before a slap counts.
  const size = points(isThird ? burger.slice(0, -1) : burger, table);
  const means = size >= FAT ? slapWith(legal, size) : NO_SLAP;
  return legal.find((move) => (move.suspect === SUSPECTS) === isThird && means.includes(move.slap));
}

function slapWith(legal, size) {
  const wanted = size >= WORTH_DOUBLING ? SLAP_WITH_TOP.toReversed() : SLAP_WITH_TOP;
  const means = wanted.find((means) => legal.some((move) => move.slap === means));
  return means ? [means] : NO_SLAP;
}

function points(cards, { values }) {
  return sum(cards.map((card) => values[card]));
}
