// All SQL on passkeys.
import type { Selectable } from 'kysely';
import { deleteWhere, findFirst, findWhere, hasRow, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Owner } from './queries.ts';

export type PasskeyRow = Selectable<Tables['passkey']>;

export const listPasskeys = (db: Db, { id, tenant_id }: Owner): Promise<PasskeyRow[]> =>
  selectWhere(db, 'passkey', { tenant_id, user_id: id }).selectAll().orderBy('id').execute();

/** Returns null if the authenticator is already registered. */
export const insertPasskey = (tx: Tx, row: Omit<PasskeyRow, 'id'>): Promise<PasskeyRow | null> =>
  findFirst(
    tx
      .insertInto('passkey')
      .values(row)
      .onConflict(conflict => conflict.column('credential_id').doNothing())
      .returningAll(),
  );

/** The row alone identifies the account: sign-in starts with the passkey only. */
export const findPasskey = (db: Db, credentialId: string): Promise<PasskeyRow | null> =>
  findWhere(db, 'passkey', { credential_id: credentialId });

/** Returns whether the counter has grown, or the authenticator has none. */
export const moveCounter = (tx: Tx, { id, tenant_id }: PasskeyRow, counter: number, now: Time): Promise<boolean> =>
  hasRow(
    tx
      .updateTable('passkey')
      .set({ counter, last_used_at: now })
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', id)
      .where(eb => (counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', counter)))
      .returning('id'),
  );

export const renameRow = (tx: Tx, { id, tenant_id }: Owner, key: Key, name: string): Promise<PasskeyRow | null> =>
  findFirst(
    tx
      .updateTable('passkey')
      .set({ name })
      .where('tenant_id', '=', tenant_id)
      .where('user_id', '=', id)
      .where('id', '=', key)
      .returningAll(),
  );

export const deletePasskey = (tx: Tx, { id, tenant_id }: Owner, key: Key): Promise<PasskeyRow | null> =>
  findFirst(
    tx
      .deleteFrom('passkey')
      .where('tenant_id', '=', tenant_id)
      .where('user_id', '=', id)
      .where('id', '=', key)
      .returningAll(),
  );

export const deletePasskeys = (tx: Tx, { id, tenant_id }: Owner): Promise<void> =>
  deleteWhere(tx, 'passkey', { tenant_id, user_id: id });

/** Returns whether this is the first answer to the challenge. */
export const useChallenge = (tx: Tx, digest: string, expiresAt: Time): Promise<boolean> =>
  hasRow(
    tx
      .insertInto('used_challenge')
      .values({ challenge_digest: digest, expires_at: expiresAt })
      .onConflict(conflict => conflict.doNothing())
      .returning('challenge_digest'),
  );

export async function sweepUsedChallenges(tx: Tx, now: Time): Promise<void> {
  await tx.deleteFrom('used_challenge').where('expires_at', '<', now).execute();
}
