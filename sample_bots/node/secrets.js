// The key and the certificate that the arguments name.
//
// The key is not an argument of the program, since everyone on the machine sees arguments: it is in a file, or in the
// environment as ROOST_KEY.

import { readFileSync } from 'node:fs';

import { log } from './log.js';
import { UsageError } from './usage.js';

export const KEY_VARIABLE = 'ROOST_KEY';
const ON_THIS_MACHINE = /^(127\.|localhost:|\[::1\]:)/;

/** What the client wants to know: `key`, `tls` and `tlsCa`. */
export function readSecrets({ server, 'key-file': keyFile, tls, 'tls-ca': certificate }) {
  const key = readKey(keyFile);
  if (key && !tls && !certificate && !ON_THIS_MACHINE.test(server)) {
    log(`the key goes to ${server} as it is, for everybody on the way to read; use --tls`);
  }
  return { key, tls, tlsCa: certificate && readCertificate(certificate) };
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
