// How much time a bot has for a decision.

const SPARE_MS = 50;
const SPARE_SHARE = 0.1;

/**
 * What is left for a decision that came at this moment of `performance.now()`, bank included, and until when the bot may
 * think. The arena does not count the usual round trip. The deadline is also a round trip earlier, as last measured, and
 * by up to 50 ms more, so that an answer is in time even if the network is slower for once.
 */
export function timeOf({ timeLeftMs, bankLeftMs, latencyUs }, came) {
  const latencyMs = latencyUs / 1000;
  const deadline = came + timeLeftMs - latencyMs - Math.min(SPARE_MS, SPARE_SHARE * timeLeftMs);
  return { timeLeftMs, bankLeftMs, latencyMs, deadline };
}
