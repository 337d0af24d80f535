// Shares for tests: created by owners, used by visitors.
import { openClient } from '@recordproof/shared/api/client.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';
import { Person } from './app.ts';
import { pattern } from './bytes.ts';
import { storeProxied } from './uploads.ts';

type Input = Partial<BodyInput<typeof api.createShare>>;

/** Ten kilobytes under a name, encrypted at rest. */
export const storeFile = async (person: Person, name = 'report.pdf', seed = 1) =>
  storeProxied(person, await pattern(10_000, seed), { name });

export const share = (person: Person, fileHash: string | readonly string[], input: Input = {}) =>
  person.call(api.createShare, {
    body: { fileHash: [fileHash].flat(), expireMinutes: 60, shareType: 0, ...input },
  });

export const withGrant = (grant: string | undefined) =>
  grant === undefined ? {} : { headers: { [accessApi.grantHeader]: grant } };

export const downloadPath = (code: string, fileHash: string): string =>
  `/api/v1/files/share/${code}/files/${fileHash}/download`;

export const fetchShared = (person: Person, code: string, fileHash: string, headers: Record<string, string> = {}) =>
  person.fetch(downloadPath(code, fileHash), { headers });

/** An anonymous visitor, from an address of its own; the server must trust 127.0.0.1 as a proxy. */
export function strangerFrom(baseUrl: string, address: string): Person {
  const stranger = new Person(address, baseUrl);
  const client = openClient({
    baseUrl,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'x-forwarded-for': address } }),
  });
  return Object.assign(stranger, { client });
}

/** The envelopes that shares have, by status. */
export async function countEnvelopes(db: Db, code: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('envelope')
    .select('status')
    .where('recipient_type', '=', 'SHARE')
    .where('recipient_id', '=', code)
    .execute();
  return Object.fromEntries([...Map.groupBy(rows, row => row.status)].map(([status, some]) => [status, some.length]));
}
