// The relying party of passkeys: the host name of the server's public URL. Browsers accept no IP address; on loopback
// it is localhost.
import { isIP } from 'node:net';
import type { Passkey } from '@recordproof/shared/api/passkeys.ts';
import type { Selectable } from 'kysely';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';

export type RelyingParty = { readonly id: string; readonly origin: string };

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

/** Returns null if the public URL has no host name, or is not a secure context. */
export function findRelyingParty(baseUrl: string): RelyingParty | null {
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(host)) return { id: 'localhost', origin: `${protocol}//localhost${port === '' ? '' : `:${port}`}` };
  if (isIP(host) !== 0 || protocol !== 'https:') return null;
  return { id: host, origin };
}

export const toPasskey = (row: Selectable<Tables['passkey']>): Passkey => ({
  id: toWireId(row.id),
  name: row.name,
  createdAt: toIso(row.created_at),
  lastUsedAt: toIsoOrNull(row.last_used_at),
});
