// SHAKE-256 and SHA-256 (FIPS 202 and 180-4), small rather than fast. WebCrypto has no SHAKE, and none of it at all on a
// page that came over plain HTTP.

const LANES = 25;
const RATE = 136;
const MASK = (1n << 64n) - 1n;
const ROUNDS = 24;

/** The rotation of each lane, and the lane to which it moves, in the order in which they follow each other. */
const [OFFSETS, PATH] = (() => {
  const offsets = [];
  const path = [];
  for (let x = 1, y = 0, t = 0; t < LANES - 1; t += 1) {
    offsets.push(BigInt((((t + 1) * (t + 2)) / 2) % 64));
    [x, y] = [y, (2 * x + 3 * y) % 5];
    path.push(x + 5 * y);
  }
  return [offsets, path];
})();

const ROUND_CONSTANTS = (() => {
  let register = 1;
  const bit = () => {
    const out = register & 1;
    register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    return out;
  };
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n;
    for (let j = 0; j < 7; j += 1) if (bit()) constant |= 1n << BigInt((1 << j) - 1);
    return constant;
  });
})();

const rotate = (lane, by) => ((lane << by) | (lane >> (64n - by))) & MASK;

/** Keccak-f[1600] on 25 lanes, in place. */
function permute(a) {
  for (const constant of ROUND_CONSTANTS) {
    mixColumns(a);
    moveLanes(a);
    for (let y = 0; y < LANES; y += 5) {
      const row = a.slice(y, y + 5);
      for (let x = 0; x < 5; x += 1) a[y + x] = row[x] ^ (~row[(x + 1) % 5] & MASK & row[(x + 2) % 5]);
    }
    a[0] ^= constant;
  }
}

function mixColumns(a) {
  const parity = [0, 1, 2, 3, 4].map((x) => a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
  for (let i = 0; i < LANES; i += 1) a[i] ^= parity[(i + 4) % 5] ^ rotate(parity[(i + 1) % 5], 1n);
}

function moveLanes(a) {
  let carried = a[1];
  PATH.forEach((to, i) => {
    const kept = a[to];
    a[to] = rotate(carried, OFFSETS[i]);
    carried = kept;
  });
}

/** The endless output of SHAKE-256 over `message`, byte by byte. */
export function* shake256(message) {
  const lanes = new Array(LANES).fill(0n);
  for (const block of paddedBlocks(message)) {
    block.forEach((byte, i) => {
      lanes[i >> 3] ^= BigInt(byte) << BigInt(8 * (i & 7));
    });
    permute(lanes);
  }
  for (;;) {
    for (let i = 0; i < RATE; i += 1) yield Number((lanes[i >> 3] >> BigInt(8 * (i & 7))) & 0xffn);
    permute(lanes);
  }
}

function* paddedBlocks(message) {
  const padded = new Uint8Array((Math.floor(message.length / RATE) + 1) * RATE);
  padded.set(message);
  padded[message.length] = 0x1f;
  padded[padded.length - 1] |= 0x80;
  for (let at = 0; at < padded.length; at += RATE) yield padded.subarray(at, at + RATE);
}

const PRIMES = (() => {
  const found = [];
  for (let n = 2; found.length < 64; n += 1) if (found.every((prime) => n % prime)) found.push(n);
  return found;
})();

/** The first 32 bits of the fraction of a root of each prime. */
const fractions = (primes, root) => primes.map((prime) => Math.floor((root(prime) % 1) * 2 ** 32) | 0);
const SHA_WORDS = fractions(PRIMES, Math.cbrt);
const SHA_START = fractions(PRIMES.slice(0, 8), Math.sqrt);

/** The SHA-256 of `message`, as 32 bytes. */
export function sha256(message) {
  const padded = new Uint8Array((((message.length + 8) >> 6) + 1) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  const state = Int32Array.from(SHA_START);
  for (let at = 0; at < padded.length; at += 64) compress(state, view, at);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setInt32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

const turn = (word, by) => (word >>> by) | (word << (32 - by));

function compress(state, view, at) {
  const schedule = new Int32Array(64);
  for (let i = 0; i < 64; i += 1) schedule[i] = i < 16 ? view.getInt32(at + 4 * i) : scheduled(schedule, i);
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const high = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + high + ((e & f) ^ (~e & g)) + SHA_WORDS[i] + schedule[i]) | 0;
    const low = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] += word;
  });
}

function scheduled(w, i) {
  const near = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
  const far = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
  return w[i - 16] + near + w[i - 7] + far;
}

/** Bytes as lower-case hexadecimal digits. */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Hexadecimal digits as bytes. */
export const fromHex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
