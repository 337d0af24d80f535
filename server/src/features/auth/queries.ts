// All SQL on sessions, failed sign-ins and one-time codes, including the authentication query of every request.
import type { AccountStatus } from '@recordproof/shared/api/accounts.ts';
import type { MailCodeType } from '@recordproof/shared/api/auth.ts';
import type { TenantStatus } from '@recordproof/shared/api/tenants.ts';
import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/open-db.ts';
import { type Prepared, prepare } from '../../platform/db/prepared.ts';
import {
  deleteWhere,
  findFirst,
  findWhere,
  hasRow,
  insertInto,
  selectWhere,
  updateWhere,
} from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor, Beside } from '../../platform/http/caller.ts';
import type { AccountRow } from '../accounts/index.ts';
import { sweepUsedChallenges } from '../factors/index.ts';
import { maintenanceMessage } from '../maintenance/index.ts';

export type SessionRow = Selectable<Tables['account']> & {
  revoked: string | null;
  tenant_status: string | null;
  maintenance: string | null;
  beside?: string | null;
};

export type Sessions = Pick<Database, 'kind' | 'db' | 'prepareFirst'>;

/**
 * The account of a token with the status of its tenant, whether the token is revoked, and the message of maintenance:
 * one look-up per request. Subqueries, because SQLite plans a join with parameters again each time they are bound, which
 * takes ten times as long as the look-up.
 */
export const prepareFindSession = (
  database: Pick<Sessions, 'db' | 'prepareFirst'>,
): Prepared<SessionRow, [userId: Key, tenantId: Key, tokenId: string]> =>
  prepare(database, (db, [userId, tenantId, tokenId]) => findSession(db, userId, tenantId, tokenId));

/** As `prepareFindSession`, with the row that the call is about. */
export const prepareFindBeside = (
  database: Sessions,
  toJson: Beside['toJson'],
): Prepared<SessionRow, [userId: Key, tenantId: Key, tokenId: string, value: string]> =>
  prepare(database, (db, [userId, tenantId, tokenId, value]) =>
    findSession(db, userId, tenantId, tokenId).select(toJson(database.kind, value).as('beside')),
  );

const findSession = (db: Db, userId: Key, tenantId: Key, tokenId: string) =>
  db
    .selectFrom('account')
    .selectAll('account')
    .select(eb => eb.selectFrom('revoked_token').select('token_id').where('token_id', '=', tokenId).as('revoked'))
    .select(eb =>
      eb.selectFrom('tenant').select('status').whereRef('tenant.id', '=', 'account.tenant_id').as('tenant_status'),
    )
    .select(maintenanceMessage.as('maintenance'))
    .where('account.id', '=', userId)
    .where('account.tenant_id', '=', tenantId);

export type SessionRef = Pick<Actor, 'userId' | 'authVersion' | 'tokenId'>;

/** Returns those of the given sessions that ended before their token expired. */
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
    .innerJoin('tenant', 'tenant.id', 'account.tenant_id')
    .select(['account.id', 'account.auth_version'])
    .where('account.id', 'in', ids)
    .where('account.status', '=', 'ACTIVE' satisfies AccountStatus)
    .where('tenant.status', '=', 'ACTIVE' satisfies TenantStatus)
    .execute();
  return new Map(rows.map(row => [row.id, row.auth_version]));
}

async function listRevoked(db: Db, sessions: readonly SessionRef[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(sessions.map(session => session.tokenId))];
  const rows = await db.selectFrom('revoked_token').select('token_id').where('token_id', 'in', ids).execute();
  return new Set(rows.map(row => row.token_id));
}

/** Returns whether this call revoked the token; an earlier revocation is unchanged. */
export const revokeToken = (
  tx: Tx,
  token: { readonly tokenId: string; readonly expiresAt: Time; readonly successor: string | null },
): Promise<boolean> =>
  hasRow(
    tx
      .insertInto('revoked_token')
      .values({ token_id: token.tokenId, expires_at: token.expiresAt, successor: token.successor })
      .onConflict(conflict => conflict.doNothing())
      .returning('token_id'),
  );

/** The token that replaced a revoked one. */
export async function findSuccessor(tx: Tx, tokenId: string): Promise<string | null> {
  const row = await selectWhere(tx, 'revoked_token', { token_id: tokenId }).select('successor').executeTakeFirst();
  return row?.successor ?? null;
}

/** The session's account, locked until the transaction ends; null if its auth version has changed. */
export async function lockAccount(
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
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('tenant')
          .select('id')
          .where('id', '=', tenantId)
          .where('status', '=', 'ACTIVE' satisfies TenantStatus),
      ),
    )
    .returningAll()
    .executeTakeFirst();
  return (row as AccountRow | undefined) ?? null;
}

type LoginFailure = Selectable<Tables['login_failure']>;

export const findLoginFailure = (db: Db, subject: string): Promise<LoginFailure | null> =>
  findWhere(db, 'login_failure', { subject });

/** The record of a subject, locked until the transaction ends; an expired lock resets the count. */
export async function lockLoginFailure(tx: Tx, subject: string, now: Time): Promise<LoginFailure> {
  await tx.deleteFrom('login_failure').where('subject', '=', subject).where('locked_until', '<=', now).execute();
  return tx
    .insertInto('login_failure')
    .values({ subject, failures: 0, locked_until: null, updated_at: now })
    .onConflict(conflict => conflict.column('subject').doUpdateSet({ updated_at: now }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Adds one failure. Returns the count so far. */
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

export const lockLogin = (tx: Tx, subject: string, until: Time): Promise<void> =>
  updateWhere(tx, 'login_failure', { subject }, { locked_until: until });

/** For subjects that are not locked by this transaction: one after the other, in the common lock order. */
export async function clearFreeLoginFailures(tx: Tx, subjects: readonly string[]): Promise<void> {
  const rows = await tx.selectFrom('login_failure').select('subject').where('subject', 'in', subjects).execute();
  for (const subject of rows.map(row => row.subject).sort()) await clearLoginFailures(tx, [subject]);
}

/** For subjects locked by this transaction. */
export async function clearLoginFailures(tx: Tx, subjects: readonly string[]): Promise<void> {
  await tx.deleteFrom('login_failure').where('subject', 'in', subjects).execute();
}

type MailCodeRow = Selectable<Tables['mail_code']>;

/** A new code replaces an older one for the same address and purpose; returns null if one is inserted concurrently. */
export async function startMailCode(
  tx: Tx,
  code: { email: string; type: MailCodeType; tries: number; now: Time; expiresAt: Time },
): Promise<Key | null> {
  await deleteWhere(tx, 'mail_code', { email: code.email, type: code.type });
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

export const findMailCode = (db: Db, id: Key): Promise<MailCodeRow | null> => findWhere(db, 'mail_code', { id });

export const setMailCodeDigest = (db: Db, id: Key, digest: string): Promise<void> =>
  updateWhere(db, 'mail_code', { id }, { code_digest: digest });

/** Uses up one attempt and returns what remains to be compared; null if there is no valid code. */
export const tryMailCode = (tx: Tx, email: string, type: MailCodeType, now: Time): Promise<MailCodeRow | null> =>
  findFirst(
    tx
      .updateTable('mail_code')
      .set(eb => ({ tries_left: eb('tries_left', '-', 1) }))
      .where('email', '=', email)
      .where('type', '=', type)
      .where('tries_left', '>', 0)
      .where('expires_at', '>', now)
      .where('code_digest', 'is not', null)
      .returningAll(),
  );

export const deleteMailCode = (tx: Tx, id: Key): Promise<void> => deleteWhere(tx, 'mail_code', { id });

/** Adds a code; the newest `limit` are kept. */
export async function addSetupCode(tx: Tx, digest: string, now: Time, limit: number): Promise<void> {
  await insertInto(tx, 'setup_code', { code_digest: digest, created_at: now });
  const newest = await tx.selectFrom('setup_code').select('id').orderBy('id', 'desc').limit(limit).execute();
  await tx
    .deleteFrom('setup_code')
    .where('id', '<', newest.at(-1)?.id ?? 0)
    .execute();
}

export const isSetupCode = (tx: Tx, digest: string): Promise<boolean> =>
  hasRow(tx.selectFrom('setup_code').select('id').where('code_digest', '=', digest));

export async function deleteSetupCodes(tx: Tx): Promise<void> {
  await tx.deleteFrom('setup_code').execute();
}

/** Rows kept past their expiry, or without one, are deleted when older than these. */
type Bounds = {
  readonly now: Time;
  readonly revocationsBefore: Time;
  readonly failuresBefore: Time;
  readonly addressesBefore: Time;
};

/** Locks rows in the order of `eraseSignIns`. */
export async function sweepExpired(tx: Tx, bounds: Bounds): Promise<void> {
  const { now, revocationsBefore, failuresBefore, addressesBefore } = bounds;
  await sweepUsedChallenges(tx, now);
  await tx.deleteFrom('revoked_token').where('expires_at', '<', revocationsBefore).execute();
  await tx.deleteFrom('login_failure').where('updated_at', '<', failuresBefore).execute();
  for (const table of ['known_address', 'known_device'] as const)
    await tx.deleteFrom(table).where('seen_at', '<', addressesBefore).execute();
  for (const table of ['kept_session', 'session', 'pending_sign_in', 'mail_code'] as const)
    await tx.deleteFrom(table).where('expires_at', '<', now).execute();
}
