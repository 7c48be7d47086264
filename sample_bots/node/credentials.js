// What the bot shows to an arena: a key that says who it is, and the kind of connection.
//
// An arena without accounts wants no key. The key is not an argument of the program, since everyone on the machine sees
// arguments: it is in a file, or in the environment as ROOST_KEY.

import { readFileSync } from 'node:fs';

import { credentials, Metadata } from '@grpc/grpc-js';

import { log } from './log.js';
import { UsageError } from './usage.js';

export const KEY_VARIABLE = 'ROOST_KEY';
const ON_THIS_MACHINE = /^(127\.|localhost:|\[::1\]:)/;

/** The `channel` credentials, and the `metadata` that go along with every call. */
export function readCredentials({ server, keyFile, tls, tlsCa }) {
  const key = readKey(keyFile);
  const metadata = new Metadata();
  if (key) metadata.set('authorization', `Bearer ${key}`);
  if (!tls && !tlsCa) {
    if (key && !ON_THIS_MACHINE.test(server)) {
      log(`the key goes to ${server} as it is, for everybody on the way to read; use --tls`);
    }
    return { channel: credentials.createInsecure(), metadata };
  }
  // Without a certificate to trust, those that this machine trusts.
  return { channel: credentials.createSsl(tlsCa ? readCertificate(tlsCa) : null), metadata };
}

function readKey(file) {
  const text = file === undefined ? process.env[KEY_VARIABLE] : read(file).toString();
  if (!text && file === undefined) return null;
  const key = text.trim();
  if (!/^[!-~]+$/.test(key)) throw new UsageError('this is not a key; a key is one word that begins with roost_');
  return key;
}

function readCertificate(file) {
  const text = read(file);
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UsageError(`${file} is not a certificate in PEM form`);
  }
  return text;
}

function read(file) {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error.code}`);
  }
}
