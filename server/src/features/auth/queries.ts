// All SQL on sessions, failed logins and one-time codes, and the one query that stands behind every request.
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { MailCodeType } from '@recordproof/shared/api/auth.ts';
import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/open-db.ts';
import { type Prepared, prepare } from '../../platform/db/prepared.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { AccountRow } from '../accounts/index.ts';

export type SessionRow = Selectable<Tables['account']> & { revoked: string | null };

/**
 * The account behind a token together with whether that token was ended: one look-up per request. A subquery, because
 * SQLite plans a join with parameters anew each time they are bound, which takes ten times as long as the look-up.
 */
export const prepareFindSession = (
  database: Pick<Database, 'db' | 'prepareFirst'>,
): Prepared<SessionRow, [userId: Key, tenantId: Key, tokenId: string]> =>
  prepare(database, (db, [userId, tenantId, tokenId]) =>
    db
      .selectFrom('account')
      .selectAll('account')
      .select(eb => eb.selectFrom('revoked_token').select('token_id').where('token_id', '=', tokenId).as('revoked'))
      .where('account.id', '=', userId)
      .where('account.tenant_id', '=', tenantId),
  );

export type SessionRef = Pick<Actor, 'userId' | 'authVersion' | 'tokenId'>;

/** Of the sessions that are given, those that are over before their token is. */
export async function listDeadSessions<S extends SessionRef>(db: Db, sessions: readonly S[]): Promise<S[]> {
  const dead: S[] = [];
  for (let at = 0; at < sessions.length; at += sessionsAtOnce) {
    const some = sessions.slice(at, at + sessionsAtOnce);
    const [versions, revoked] = [await listLiveVersions(db, some), await listRevoked(db, some)];
    dead.push(...some.filter(one => versions.get(one.userId) !== one.authVersion || revoked.has(one.tokenId)));
  }
  return dead;
}

const sessionsAtOnce = 500;

async function listLiveVersions(db: Db, sessions: readonly SessionRef[]): Promise<ReadonlyMap<Key, number>> {
  const ids = [...new Set(sessions.map(session => session.userId))];
  const rows = await db
    .selectFrom('account')
    .select(['id', 'auth_version'])
    .where('id', 'in', ids)
    .where('status', '=', 'ACTIVE' satisfies AccountStatus)
    .execute();
  return new Map(rows.map(row => [row.id, row.auth_version]));
}

async function listRevoked(db: Db, sessions: readonly SessionRef[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(sessions.map(session => session.tokenId))];
  const rows = await db.selectFrom('revoked_token').select('token_id').where('token_id', 'in', ids).execute();
  return new Set(rows.map(row => row.token_id));
}

/** Whether the token was ended by this call; what ended it before stays as it is. */
export async function revokeToken(
  tx: Tx,
  token: { readonly tokenId: string; readonly expiresAt: Time; readonly successor: string | null },
): Promise<boolean> {
  const row = await tx
    .insertInto('revoked_token')
    .values({ token_id: token.tokenId, expires_at: token.expiresAt, successor: token.successor })
    .onConflict(conflict => conflict.doNothing())
    .returning('token_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The token that took the place of an ended one. */
export async function findSuccessor(tx: Tx, tokenId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('revoked_token')
    .select('successor')
    .where('token_id', '=', tokenId)
    .executeTakeFirst();
  return row?.successor ?? null;
}

/** The account as the session knows it, held until the transaction ends; null when it has moved on. */
export async function holdAccount(
  tx: Tx,
  { tenantId, userId, authVersion }: Pick<Actor, 'tenantId' | 'userId' | 'authVersion'>,
): Promise<AccountRow | null> {
  const row = await tx
    .updateTable('account')
    .set({ auth_version: authVersion })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', userId)
    .where('auth_version', '=', authVersion)
    .where('status', '=', 'ACTIVE' satisfies AccountStatus)
    .returningAll()
    .executeTakeFirst();
  return (row as AccountRow | undefined) ?? null;
}

type LoginFailure = Selectable<Tables['login_failure']>;

export async function findLoginFailure(db: Db, subject: string): Promise<LoginFailure | null> {
  return (await db.selectFrom('login_failure').selectAll().where('subject', '=', subject).executeTakeFirst()) ?? null;
}

/** The record of a subject, held until the transaction ends; an outdated lock starts the count anew. */
export async function holdLoginFailure(tx: Tx, subject: string, now: Time): Promise<LoginFailure> {
  await tx.deleteFrom('login_failure').where('subject', '=', subject).where('locked_until', '<=', now).execute();
  return tx
    .insertInto('login_failure')
    .values({ subject, failures: 0, locked_until: null, updated_at: now })
    .onConflict(conflict => conflict.column('subject').doUpdateSet({ updated_at: now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** One more failure. Returns the count so far. */
export async function countLoginFailure(tx: Tx, subject: string, now: Time): Promise<number> {
  const row = await tx
    .insertInto('login_failure')
    .values({ subject, failures: 1, locked_until: null, updated_at: now })
    .onConflict(conflict =>
      conflict
        .column('subject')
        .doUpdateSet(eb => ({ failures: eb('login_failure.failures', '+', 1), updated_at: now })),
    )
    .returning('failures')
    .executeTakeFirstOrThrow();
  return row.failures;
}

export async function lockLogin(tx: Tx, subject: string, until: Time): Promise<void> {
  await tx.updateTable('login_failure').set({ locked_until: until }).where('subject', '=', subject).execute();
}

/** Of subjects that are not held: one after the other, in the order in which others hold them. */
export async function clearFreeLoginFailures(tx: Tx, subjects: readonly string[]): Promise<void> {
  const rows = await tx.selectFrom('login_failure').select('subject').where('subject', 'in', subjects).execute();
  for (const subject of rows.map(row => row.subject).sort()) await clearLoginFailures(tx, [subject]);
}

/** Of subjects that this transaction holds. */
export async function clearLoginFailures(tx: Tx, subjects: readonly string[]): Promise<void> {
  await tx.deleteFrom('login_failure').where('subject', 'in', subjects).execute();
}

type MailCodeRow = Selectable<Tables['mail_code']>;

/** A new code takes the place of an older one for the same address and purpose; null when one comes up at this moment. */
export async function startMailCode(
  tx: Tx,
  code: { email: string; type: MailCodeType; tries: number; now: Time; expiresAt: Time },
): Promise<Key | null> {
  await tx.deleteFrom('mail_code').where('email', '=', code.email).where('type', '=', code.type).execute();
  const row = await tx
    .insertInto('mail_code')
    .values({
      email: code.email,
      type: code.type,
      code_digest: null,
      tries_left: code.tries,
      created_at: code.now,
      expires_at: code.expiresAt,
    })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function findMailCode(db: Db, id: Key): Promise<MailCodeRow | null> {
  return (await db.selectFrom('mail_code').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

export async function setMailCodeDigest(db: Db, id: Key, digest: string): Promise<void> {
  await db.updateTable('mail_code').set({ code_digest: digest }).where('id', '=', id).execute();
}

/** Uses up one try and returns what is left to compare with; null when there is no live code. */
export async function tryMailCode(tx: Tx, email: string, type: MailCodeType, now: Time): Promise<MailCodeRow | null> {
  const row = await tx
    .updateTable('mail_code')
    .set(eb => ({ tries_left: eb('tries_left', '-', 1) }))
    .where('email', '=', email)
    .where('type', '=', type)
    .where('tries_left', '>', 0)
    .where('expires_at', '>', now)
    .where('code_digest', 'is not', null)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export async function deleteMailCode(tx: Tx, id: Key): Promise<void> {
  await tx.deleteFrom('mail_code').where('id', '=', id).execute();
}

/** Adds a code; of all of them the newest `limit` stay. */
export async function addSetupCode(tx: Tx, digest: string, now: Time, limit: number): Promise<void> {
  await tx.insertInto('setup_code').values({ code_digest: digest, created_at: now }).execute();
  const newest = await tx.selectFrom('setup_code').select('id').orderBy('id', 'desc').limit(limit).execute();
  await tx
    .deleteFrom('setup_code')
    .where('id', '<', newest.at(-1)?.id ?? 0)
    .execute();
}

export async function isSetupCode(tx: Tx, digest: string): Promise<boolean> {
  const row = await tx.selectFrom('setup_code').select('id').where('code_digest', '=', digest).executeTakeFirst();
  return row !== undefined;
}

export async function deleteSetupCodes(tx: Tx): Promise<void> {
  await tx.deleteFrom('setup_code').execute();
}

/** What is kept beyond its time, or has none of its own, goes when it is older than these. */
type Bounds = {
  readonly now: Time;
  readonly revocationsBefore: Time;
  readonly failuresBefore: Time;
  readonly addressesBefore: Time;
};

/** Rows whose time is over; returns how many went. */
export async function sweepExpired(tx: Tx, bounds: Bounds): Promise<number> {
  const { now, revocationsBefore, failuresBefore, addressesBefore } = bounds;
  const results = [
    await tx.deleteFrom('revoked_token').where('expires_at', '<', revocationsBefore).executeTakeFirstOrThrow(),
    await tx.deleteFrom('kept_session').where('expires_at', '<', now).executeTakeFirstOrThrow(),
    await tx.deleteFrom('mail_code').where('expires_at', '<', now).executeTakeFirstOrThrow(),
    await tx.deleteFrom('login_failure').where('updated_at', '<', failuresBefore).executeTakeFirstOrThrow(),
    await tx.deleteFrom('known_address').where('seen_at', '<', addressesBefore).executeTakeFirstOrThrow(),
  ];
  return results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}
