// What the bot shows to an arena: a key that says who it is, and the kind of connection.

import { credentials, Metadata } from '@grpc/grpc-js';

/**
 * The `credentials` of the channel, and the `metadata` that go along with every call. Without a certificate `tlsCa` to
 * trust, TLS trusts those that this machine trusts. An arena without accounts wants no key.
 */
export function connectionTo({ key, tls, tlsCa }) {
  const metadata = new Metadata();
  if (key) metadata.set('authorization', `Bearer ${key}`);
  if (!tls && !tlsCa) return { credentials: credentials.createInsecure(), metadata };
  return { credentials: credentials.createSsl(tlsCa ? Buffer.from(tlsCa) : null), metadata };
}
