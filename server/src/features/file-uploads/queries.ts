// SQL on idempotency keys, and on the request ids of bulk uploads.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Selectable } from 'kysely';
import { selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';

type NewRepeatable = {
  readonly key: string;
  readonly fingerprint: string;
  readonly clientId: string;
  readonly expiresAt: Time;
};

/** Returns false if the key is in use. */
export async function keepRepeatable(db: Db, owner: Owner, fresh: NewRepeatable, now: Time): Promise<boolean> {
  const row = { fingerprint: fresh.fingerprint, client_id: fresh.clientId, expires_at: fresh.expiresAt };
  const kept = await db
    .insertInto('upload_repeatable')
    .values({ tenant_id: owner.tenantId, owner_id: owner.ownerId, key: fresh.key, ...row })
    .onConflict(conflict =>
      conflict
        .columns(['tenant_id', 'owner_id', 'key'])
        .doUpdateSet(row)
        .where('upload_repeatable.expires_at', '<=', now),
    )
    .returning('client_id')
    .executeTakeFirst();
  return kept !== undefined;
}

export const findRepeatable = (db: Db, { tenantId, ownerId }: Owner, key: string) =>
  selectWhere(db, 'upload_repeatable', { tenant_id: tenantId, owner_id: ownerId, key })
    .select(['fingerprint', 'client_id'])
    .executeTakeFirst();

/** Of concurrent calls the first succeeds. */
export const renameRepeatable = (
  db: Db,
  { tenantId, ownerId }: Owner,
  { key, from, to }: { readonly key: string; readonly from: string; readonly to: string },
): Promise<void> =>
  updateWhere(
    db,
    'upload_repeatable',
    { tenant_id: tenantId, owner_id: ownerId, key, client_id: from },
    { client_id: to },
  );

export async function forgetRepeatables(db: Db, now: Time): Promise<void> {
  await db.deleteFrom('upload_repeatable').where('expires_at', '<=', now).execute();
}

type StoredRequest = Selectable<Tables['short_upload_request']>;
export type RequestRow = Omit<StoredRequest, 'answer'> & {
  /** JSON; null until every file is stored or finally rejected. */
  readonly answer: string | null;
};

/** Digests in hex and the same names for each file: a quarter of the text. */
const deflate = (answer: string): Buffer => deflateRawSync(answer);
const inflate = (bytes: Buffer): string => inflateRawSync(bytes).toString();

const toRequest = ({ answer, ...row }: StoredRequest): RequestRow => ({
  ...row,
  answer: answer === null ? null : inflate(answer),
});

type NewRequest = {
  readonly tenantId: Key;
  readonly ownerId: Key;
  readonly requestId: string;
  readonly fingerprint: string;
};

/** The first call with this id; null if it was deleted meanwhile. */
export async function claimRequest(db: Db, request: NewRequest, now: Time): Promise<RequestRow | null> {
  const { tenantId, ownerId, requestId, fingerprint } = request;
  const row = { tenant_id: tenantId, owner_id: ownerId, request_id: requestId, fingerprint };
  const made = await db
    .insertInto('short_upload_request')
    .values({ ...row, answer: null, created_at: now })
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made) return toRequest(made);
  const existing = await selectWhere(db, 'short_upload_request', {
    tenant_id: tenantId,
    owner_id: ownerId,
    request_id: requestId,
  })
    .selectAll()
    .executeTakeFirst();
  return existing === undefined ? null : toRequest(existing);
}

/** The first answer is kept. */
export async function answerRequest(db: Db, { id, tenant_id }: RequestRow, answer: string): Promise<string> {
  await db
    .updateTable('short_upload_request')
    .set({ answer: deflate(answer) })
    .where('id', '=', id)
    .where('tenant_id', '=', tenant_id)
    .where('answer', 'is', null)
    .execute();
  const row = await db.selectFrom('short_upload_request').select('answer').where('id', '=', id).executeTakeFirst();
  return row?.answer ? inflate(row.answer) : answer;
}

export async function forgetRequests(db: Db, upTo: Time): Promise<void> {
  await db.deleteFrom('short_upload_request').where('created_at', '<=', upTo).execute();
}
