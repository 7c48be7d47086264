// The version of the bot: a fingerprint of its code. An arena keeps a record for each version, so changed code begins
// a new one, and the same code continues the old one wherever it runs.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIGITS = 16;

function sourcesIn(folder) {
  const names = readdirSync(fileURLToPath(new URL(folder, import.meta.url)));
  return names.filter((name) => /\.m?js$/.test(name)).map((name) => folder + name);
}

/** 16 hexadecimal digits for the code in this folder. */
export function fingerprint() {
  const digest = createHash('sha256');
  for (const name of ['./', './client/', './games/'].flatMap(sourcesIn).sort()) {
    const text = readFileSync(new URL(name, import.meta.url), 'utf8').replaceAll('\r\n', '\n');
    digest.update(`${name}:${text.length}:${text}`);
  }
  return digest.digest('hex').slice(0, DIGITS);
}
