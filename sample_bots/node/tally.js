// How the bot has done so far, for its log.

export class Tally {
  latencyMs = 0;
  #matches = 0;
  #wins = 0;
  #voided = 0;
  #faults = 0;

  /** Count a match that ended, and describe it in a line. */
  count({ matchId, game, seat, bots }, { places, scores, faults }) {
    // However it ended: a match without places does not count.
    const voided = places.length === 0;
    const own = faults.filter((fault) => fault.seat === seat);
    this.#faults += own.length;
    if (voided) this.#voided += 1;
    else this.#matches += 1;
    if (places[seat] === 1) this.#wins += 1;
    const placed = `place ${places[seat]} of ${bots.length}, scores ${scores.join(' ')}`;
    const outcome = voided ? 'voided' : placed;
    const blame = own.map(({ kind, step }) => `, ${kind} at step ${step}`).join('');
    return { text: `match ${matchId} (${game}, ${bots.join(' ')}): ${outcome}${blame}`, faulty: own.length > 0 };
  }

  toString() {
    const voided = this.#voided ? ` (and ${this.#voided} voided)` : '';
    const latency = this.latencyMs.toFixed(1);
    return `${this.#matches} played${voided}, ${this.#wins} won, ${this.#faults} faults, latency ${latency} ms`;
  }
}
