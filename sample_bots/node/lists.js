// Small helpers for the lists of numbers that views are made of.

export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

export function count(items, condition) {
  return items.filter(condition).length;
}

/** The item with the highest score, the first of these if there are several; undefined if there are no items. */
export function best(items, score) {
  let found;
  let highest = -Infinity;
  for (const item of items) {
    const reached = score(item);
    if (reached > highest) [found, highest] = [item, reached];
  }
  return found;
}

/** A list of lists, which the protocol writes flat: split([7, 8, 9], [2, 0, 1]) is [[7, 8], [], [9]]. */
export function split(flat, sizes) {
  let end = 0;
  return sizes.map((size) => flat.slice(end, (end += size)));
}
