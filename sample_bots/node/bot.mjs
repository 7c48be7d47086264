#!/usr/bin/env node
// The program: reads the command line, connects a player for each game to the arena, leaves on Ctrl-C.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Client } from './client/client.js';
import { ARENA_PROTO } from './client/protocol.js';
import * as bratwurmeck from './games/bratwurmeck.js';
import * as haecmaec from './games/haecmaec.js';
import * as karteneck from './games/karteneck.js';
import { log } from './log.js';
import { KEY_VARIABLE, readSecrets } from './secrets.js';
import { Tally } from './tally.js';
import { UsageError } from './usage.js';
import { fingerprint } from './version.js';

const PLAYERS = { karteneck, bratwurmeck, haecmaec };
const REPORT_MS = 30_000;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;

const OPTIONS = {
  server: { type: 'string', default: '127.0.0.1:50051' },
  'key-file': { type: 'string' },
  tls: { type: 'boolean', default: false },
  'tls-ca': { type: 'string' },
  name: { type: 'string', default: 'node' },
  matches: { type: 'string', default: '4' },
  proto: { type: 'string', default: fileURLToPath(new URL('../../proto', import.meta.url)) },
  verbose: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

const USAGE = `usage: node bot.mjs [--server HOST:PORT] [--key-file FILE] [--tls] [--tls-ca FILE] [--name NAME] [--matches K]
                    [--proto DIR] [--verbose]

Plays at a Roost arena until Ctrl-C.

  --server HOST:PORT  where the arena is (default: ${OPTIONS.server.default})
  --key-file FILE     the key that the arena wants; by default ${KEY_VARIABLE}, or none
  --tls               connect with TLS
  --tls-ca FILE       connect with TLS, and trust this certificate in PEM form
  --name NAME         the bot's name there (default: ${OPTIONS.name.default})
  --matches K         play up to K matches at the same time (default: ${OPTIONS.matches.default})
  --proto DIR         the folder with ${ARENA_PROTO} (default: proto/ of this repository)
  --verbose           log every match`;

function readArguments() {
  let given;
  try {
    given = parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
  if (!/^.+:\d+$/.test(given.server)) {
    throw new UsageError(`'${given.server}' is not the address of an arena; it is of the form HOST:PORT`);
  }
  if (!/^[1-9]\d{0,3}$/.test(given.matches)) {
    throw new UsageError(`'${given.matches}' is not a number of matches; it is from 1 to 9999`);
  }
  if (!existsSync(path.join(given.proto, ARENA_PROTO))) {
    throw new UsageError(`there is no ${ARENA_PROTO} in ${given.proto}; --proto names the folder it is in`);
  }
  return given;
}

function leaveOnSignals(client) {
  let signals = 0;
  const hear = () => {
    signals += 1;
    if (signals > 1) process.exit(EXIT_INTERRUPTED);
    log(`leaving; matches to play to the end: ${client.playing}; Ctrl-C again to stop at once`);
    client.leave();
  };
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
}

function reportChanges(record) {
  let told = record();
  const report = () => {
    if (record() !== told) log((told = record()));
  };
  setInterval(report, REPORT_MS).unref();
}

async function main() {
  const given = readArguments();
  if (given.help) {
    console.log(USAGE);
    return;
  }
  const tally = new Tally();
  const client = new Client({
    server: given.server,
    proto: given.proto,
    ...readSecrets(given),
    name: given.name,
    version: fingerprint(),
    games: Object.keys(PLAYERS),
    maxMatches: Number(given.matches),
    choose(asked) {
      tally.latencyMs = asked.clock.latencyMs;
      return PLAYERS[asked.game].choose(asked);
    },
    ended(match, result) {
      const line = tally.count(match, result);
      if (given.verbose || line.faulty) log(line.text);
    },
    log,
  });
  const record = () => `${tally}, ${client.playing} running`;
  leaveOnSignals(client);
  reportChanges(record);
  await client.play();
  log(`left: ${record()}`);
}

try {
  await main();
} catch (error) {
  const misused = error instanceof UsageError;
  console.error(`bot.mjs: ${error.message}${misused ? ' (see --help)' : ''}`);
  process.exitCode = misused ? EXIT_USAGE : EXIT_FAILED;
}
