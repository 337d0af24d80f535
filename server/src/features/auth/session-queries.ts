// All SQL on account sessions, their devices, and persistent browser sessions.
import { type Selectable, sql } from 'kysely';
import { deleteWhere, findFirst, findWhere, hasRow, selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { AccountRow } from '../accounts/index.ts';
import { toDevice } from './device.ts';

export type SessionRow = Selectable<Tables['session']>;

type Used = {
  readonly tokenId: string;
  readonly expiresAt: Time;
  readonly address: string;
  readonly usedAt: Time;
};

type NewSession = Used & {
  readonly authenticatedAt: Time;
  readonly isByProvider?: boolean;
  readonly headers: { readonly 'user-agent'?: string | undefined };
};

export async function addSession(tx: Tx, account: AccountRow, session: NewSession): Promise<SessionRow> {
  return tx
    .insertInto('session')
    .values({
      tenant_id: account.tenant_id,
      user_id: account.id,
      token_id: session.tokenId,
      auth_version: account.auth_version,
      device: toDevice(session.headers['user-agent']),
      address: session.address,
      created_at: session.usedAt,
      last_used_at: session.usedAt,
      proven_at: session.authenticatedAt,
      by_provider: session.isByProvider ? 1 : 0,
      expires_at: session.expiresAt,
    })
    .onConflict(conflict => conflict.column('token_id').doUpdateSet({ last_used_at: session.usedAt }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

const changing = (tx: Tx, tenantId: Key, tokenId: string) =>
  tx.updateTable('session').where('tenant_id', '=', tenantId).where('token_id', '=', tokenId);

const notBefore = (expiresAt: Time) =>
  sql<Time>`case when expires_at < ${expiresAt} then ${expiresAt} else expires_at end`;

/** Returns null for a session from a release without a session table. The expiry is never shortened. */
export const useSession = (
  tx: Tx,
  tenantId: Key,
  { tokenId, expiresAt, address, usedAt }: Used,
): Promise<SessionRow | null> =>
  findFirst(
    changing(tx, tenantId, tokenId)
      .set({ address, last_used_at: usedAt, expires_at: notBefore(expiresAt) })
      .returningAll(),
  );

/** Records the last use, unless a later one is known. */
export async function touchSession(
  tx: Tx,
  tenantId: Key,
  tokenId: string,
  address: string,
  usedAt: Time,
): Promise<void> {
  await changing(tx, tenantId, tokenId)
    .set({ address, last_used_at: usedAt })
    .where('last_used_at', '<', usedAt)
    .execute();
}

/** `expiresAt` of the token: a session that a browser keeps lasts longer. */
type Successor = { readonly tokenId: string; readonly expiresAt: Time; readonly lastUsedAt: Time };

export async function moveSession(
  tx: Tx,
  { tenantId, tokenId }: { readonly tenantId: Key; readonly tokenId: string },
  successor: Successor & { readonly authVersion?: number; readonly authenticatedAt?: Time },
): Promise<void> {
  await changing(tx, tenantId, tokenId)
    .set({
      token_id: successor.tokenId,
      // A new version ends the cookie of the browser: only the token is left.
      expires_at: successor.authVersion === undefined ? notBefore(successor.expiresAt) : successor.expiresAt,
      last_used_at: successor.lastUsedAt,
      ...(successor.authVersion !== undefined && { auth_version: successor.authVersion }),
      ...(successor.authenticatedAt !== undefined && { proven_at: successor.authenticatedAt }),
    })
    .execute();
}

export const deleteSession = (tx: Tx, tenantId: Key, tokenId: string): Promise<void> =>
  deleteWhere(tx, 'session', { tenant_id: tenantId, token_id: tokenId });

type Owner = { readonly tenantId: Key; readonly userId: Key; readonly authVersion: number };

const longestList = 200;

/** Most recently used first. */
export const listLiveSessions = (db: Db, { tenantId, userId, authVersion }: Owner, now: Time): Promise<SessionRow[]> =>
  selectWhere(db, 'session', { tenant_id: tenantId, user_id: userId, auth_version: authVersion })
    .selectAll()
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(longestList)
    .execute();

/** Token ids of all other valid sessions, including those without a row of their own. */
export async function listOtherTokens(tx: Tx, owner: Owner & { readonly tokenId: string }): Promise<string[]> {
  const { tenantId, userId, tokenId } = owner;
  const [own, kept] = [
    await selectWhere(tx, 'session', { tenant_id: tenantId, user_id: userId, auth_version: owner.authVersion })
      .select('token_id')
      .execute(),
    await selectWhere(tx, 'kept_session', { tenant_id: tenantId, user_id: userId }).select('token_id').execute(),
  ];
  return [...new Set([...own, ...kept].map(row => row.token_id))].filter(id => id !== tokenId).sort();
}

export const findSessionById = (db: Db, { tenantId, userId }: Owner, id: Key): Promise<SessionRow | null> =>
  findWhere(db, 'session', { tenant_id: tenantId, user_id: userId, id });

const ofToken = (db: Db, tenantId: Key, tokenId: string) =>
  db.selectFrom('session').where('tenant_id', '=', tenantId).where('token_id', '=', tokenId);

export async function findAuthenticatedAt(db: Db, tenantId: Key, tokenId: string): Promise<Time> {
  const row = await ofToken(db, tenantId, tokenId).select('proven_at').executeTakeFirst();
  return row?.proven_at ?? 0;
}

/** Returns whether the session has a row. */
export const setAuthenticatedAt = (tx: Tx, tenantId: Key, tokenId: string, now: Time): Promise<boolean> =>
  hasRow(changing(tx, tenantId, tokenId).set({ proven_at: now }).returning('id'));

export const isByProvider = (db: Db, tenantId: Key, tokenId: string): Promise<boolean> =>
  hasRow(ofToken(db, tenantId, tokenId).select('id').where('by_provider', '=', 1));

type PersistentSession = Selectable<Tables['kept_session']>;

/** Upsert: a session has one secret, the newest. The newest `limit` sessions of an account remain. */
export async function savePersistentSession(tx: Tx, row: Omit<PersistentSession, 'id'>, limit: number): Promise<void> {
  const { secret_digest, stays, expires_at } = row;
  await tx
    .insertInto('kept_session')
    .values(row)
    .onConflict(conflict => conflict.column('token_id').doUpdateSet({ secret_digest, stays, expires_at }))
    .execute();
  const newest = await selectWhere(tx, 'kept_session', { tenant_id: row.tenant_id, user_id: row.user_id })
    .select('id')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  await tx
    .deleteFrom('kept_session')
    .where('tenant_id', '=', row.tenant_id)
    .where('user_id', '=', row.user_id)
    .where('id', '<', newest.at(-1)?.id ?? 0)
    .execute();
}

/** The row alone identifies the account: the client has only the secret. */
export const findPersistentSession = (db: Db, secretDigest: string, now: Time): Promise<PersistentSession | null> =>
  findFirst(
    db.selectFrom('kept_session').selectAll().where('secret_digest', '=', secretDigest).where('expires_at', '>', now),
  );

export const extendPersistentSession = (tx: Tx, { tenant_id, id }: PersistentSession, expiresAt: Time): Promise<void> =>
  updateWhere(tx, 'kept_session', { tenant_id, id }, { expires_at: expiresAt });

export const movePersistentSession = (tx: Tx, tenantId: Key, tokenId: string, successor: string): Promise<void> =>
  updateWhere(tx, 'kept_session', { tenant_id: tenantId, token_id: tokenId }, { token_id: successor });

export const deletePersistentSession = (tx: Tx, tenantId: Key, tokenId: string): Promise<void> =>
  deleteWhere(tx, 'kept_session', { tenant_id: tenantId, token_id: tokenId });
