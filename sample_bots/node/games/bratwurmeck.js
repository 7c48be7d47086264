// Heckmeck am Bratwurmeck: takes worms early, and stops as soon as that takes a tile.

import { best, count, split } from '../lists.js';

const WORM = 6;
const WORM_POINTS = 5;
// Without a worm a turn is worth nothing, so worms are taken a little sooner than their points suggest.
const WORM_BONUS = 3;
const STEAL = 'BRATWURMECK_THEN_STOP_AND_STEAL';
const ROLL = 'BRATWURMECK_THEN_ROLL';

const pointsOf = (face) => (face === WORM ? WORM_POINTS : face);

/** One of the legal moves. A move takes all dice of a face, and then rolls the rest or stops. */
export function choose({ view, legal, seat, options }) {
  const stop = best(legal, (move) => prize(move, view, seat, options));
  if (prize(stop, view, seat, options) > 0) return stop;

  const rolls = legal.filter((move) => move.then === ROLL);
  return best(rolls.length > 0 ? rolls : legal, (move) => promise(move, view.roll));
}

/** How many worms a move wins at once; a stolen tile counts twice, since another seat loses it. */
function prize({ take, then }, view, seat, options) {
  const hasWorm = take === WORM || view.aside.includes(WORM);
  if (then === ROLL || !hasWorm) return 0;
  const total = view.total + pointsOf(take) * count(view.roll, (face) => face === take);
  if (then === STEAL) return 2 * wormsOn(stealable(total, view, seat), options);
  // The grill is sorted by value, and the tile to take is the highest that the total reaches.
  return wormsOn(view.grill.findLast((tile) => tile <= total), options);
}

function stealable(total, view, seat) {
  const stacks = split(view.stacks, view.stackSizes);
  return stacks.filter((_, owner) => owner !== seat).map((stack) => stack.at(-1)).find((tile) => tile === total);
}

function wormsOn(tile, { tileValues, tileWorms }) {
  return tileWorms[tileValues.indexOf(tile)] ?? 0;
}

/** Points are good, but each die set aside is one less to roll. */
function promise({ take }, roll) {
  const dice = count(roll, (face) => face === take);
  return dice * (pointsOf(take) - 1) + (take === WORM ? WORM_BONUS : 0);
}
