// Heckmeck am Karteneck: aims at totals that steal, keeps a worm back for the next round, stops at a good total.

import { best, split, sum } from '../lists.js';

// A card is a number: 1 to 5, or for worm cards, which count 5, 10 + the signpost.
const FIRST_WORM = 10;
const WORM_POINTS = 5;
const GOOD_TOTAL = 25;

const isWorm = (card) => card > FIRST_WORM;
const points = (cards) => sum(cards.map((card) => (isWorm(card) ? WORM_POINTS : card)));

/** One of the legal moves. A move lays cards of one kind, or passes (then `lay` is empty). */
export function choose({ view, legal, seat, options }) {
  const steal = legal.find((move) => move.steal);
  if (steal) return steal;

  const pass = legal.find((move) => move.lay.length === 0);
  const lays = legal.filter((move) => move.lay.length > 0);
  const aimed = lays.find((move) => wouldSteal(move.lay, view, seat));
  if (aimed) return aimed;

  // A display without a worm is worth nothing, so it is built on as long as possible.
  const mayStop = display(view, seat).some(isWorm);
  if (mayStop && (view.totals[seat] >= GOOD_TOTAL || !isWorthFighting(view.grill, options))) return pass;
  return best(lays, ({ lay }) => worth(lay, view.hand)) ?? pass;
}

function display(view, seat) {
  return split(view.displays, view.displaySizes)[seat];
}

/** Whether, with these cards laid, a pass would steal the top portion of another seat. */
function wouldSteal(lay, view, seat) {
  const hasWorm = [...display(view, seat), ...lay].some(isWorm);
  const stacks = split(view.stacks, view.stackSizes);
  const tops = stacks.filter((_, owner) => owner !== seat).map((stack) => stack.at(-1));
  return hasWorm && tops.includes(view.totals[seat] + points(lay));
}

/** Whether the portions on the grill differ. */
function isWorthFighting(grill, { portionValues, portionWorms }) {
  const worms = grill.map((value) => portionWorms[portionValues.indexOf(value)]);
  return new Set(worms).size > 1;
}

/** Many points are good, but one of several worms is kept for the next round. */
function worth(lay, hand) {
  if (!isWorm(lay[0])) return points(lay);
  const wormsHeld = hand.filter(isWorm).length;
  const spendsAll = lay.length === wormsHeld && wormsHeld > 1;
  return points(lay) - (spendsAll ? 100 : 0);
}
