// All SQL of single sign-on.
import type { SignInProblem } from '@recordproof/shared/api/single-sign-on.ts';
import type { Insertable, Selectable } from 'kysely';
import { findFirst, findWhere, hasRow, insertInto, selectWhere, updateWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type IdentityRow = Selectable<Tables['sso_identity']>;
export type FlowRow = Selectable<Tables['sso_flow']>;
export type ProgramRow = Selectable<Tables['sso_program']>;

/** Looked up by issuer and subject alone: they identify the account, and so the tenant. */
export const findIdentity = (db: Db, issuer: string, subject: string): Promise<IdentityRow | null> =>
  findWhere(db, 'sso_identity', { issuer, subject });

export const listIdentities = (db: Db, tenantId: Key, userId: Key): Promise<IdentityRow[]> =>
  selectWhere(db, 'sso_identity', { tenant_id: tenantId, user_id: userId }).selectAll().orderBy('id').execute();

export const insertIdentity = (tx: Tx, row: Insertable<Tables['sso_identity']>): Promise<void> =>
  insertInto(tx, 'sso_identity', row);

export const markIdentityUsed = (tx: Tx, identity: IdentityRow, provider: string, now: Time): Promise<void> =>
  updateWhere(tx, 'sso_identity', { tenant_id: identity.tenant_id, id: identity.id }, { last_used_at: now, provider });

export const deleteIdentity = (tx: Tx, tenantId: Key, userId: Key, id: Key): Promise<IdentityRow | null> =>
  findFirst(
    tx
      .deleteFrom('sso_identity')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('id', '=', id)
      .returningAll(),
  );

export const isOriginOf = (db: Db, tenantId: Key, userId: Key): Promise<boolean> =>
  hasRow(selectWhere(db, 'sso_identity', { tenant_id: tenantId, user_id: userId, is_origin: 1 }).select('id'));

export const insertFlow = (tx: Tx, row: Insertable<Tables['sso_flow']>): Promise<void> =>
  insertInto(tx, 'sso_flow', row);

export const findFlow = (db: Db, stateDigest: string, now: Time): Promise<FlowRow | null> =>
  findFirst(
    db.selectFrom('sso_flow').selectAll().where('state_digest', '=', stateDigest).where('expires_at', '>', now),
  );

/** Returns whether this call consumed it. */
export const takeFlow = (tx: Tx, id: Key): Promise<boolean> =>
  hasRow(tx.deleteFrom('sso_flow').where('id', '=', id).returning('id'));

export const insertProgram = (tx: Tx, row: Insertable<Tables['sso_program']>): Promise<void> =>
  insertInto(tx, 'sso_program', row);

export function findProgram(
  db: Db,
  by: { readonly request: string } | { readonly userCode: string } | { readonly id: Key },
  now: Time,
): Promise<ProgramRow | null> {
  const live = db.selectFrom('sso_program').selectAll().where('expires_at', '>', now);
  const found =
    'request' in by
      ? live.where('request_digest', '=', by.request)
      : 'userCode' in by
        ? live.where('user_code_digest', '=', by.userCode)
        : live.where('id', '=', by.id);
  return findFirst(found);
}

type Decision =
  | {
      readonly state: 'APPROVED';
      readonly tenant_id: Key;
      readonly user_id: Key;
      readonly proven_at: Time;
      readonly code_digest: string | null;
    }
  | { readonly state: 'REJECTED'; readonly problem: SignInProblem };

/** Decided once: returns whether by this call. */
export const decideProgram = (tx: Tx, id: Key, decision: Decision, expiresAt: Time): Promise<boolean> =>
  hasRow(
    tx
      .updateTable('sso_program')
      .set({ ...decision, expires_at: expiresAt })
      .where('id', '=', id)
      .where('state', '=', 'WAITING')
      .returning('id'),
  );

/** A decided one, consumed by this call. */
export function takeProgram(
  tx: Tx,
  by: { readonly code: string } | { readonly request: string },
  now: Time,
): Promise<ProgramRow | null> {
  const decided = tx.deleteFrom('sso_program').where('state', '<>', 'WAITING').where('expires_at', '>', now);
  const found =
    'code' in by ? decided.where('code_digest', '=', by.code) : decided.where('request_digest', '=', by.request);
  return findFirst(found.returningAll());
}

export const insertSession = (tx: Tx, row: Insertable<Tables['sso_session']>): Promise<void> =>
  insertInto(tx, 'sso_session', row);

export type SessionRow = Selectable<Tables['sso_session']>;

export const listSessionsOf = (db: Db, tenantId: Key, userId: Key): Promise<SessionRow[]> =>
  selectWhere(db, 'sso_session', { tenant_id: tenantId, user_id: userId })
    .selectAll()
    .orderBy('started_at', 'desc')
    .execute();

/** For one account, or the expired ones of all tenants. */
export function takeSessions(
  tx: Tx,
  which: { readonly startedBefore: Time } | { readonly tenantId: Key; readonly userId: Key },
): Promise<SessionRow[]> {
  const sessions = tx.deleteFrom('sso_session').returningAll();
  return 'startedBefore' in which
    ? sessions.where('started_at', '<=', which.startedBefore).execute()
    : sessions.where('tenant_id', '=', which.tenantId).where('user_id', '=', which.userId).execute();
}

export const insertLink = (tx: Tx, row: Insertable<Tables['sign_in_link']>): Promise<void> =>
  insertInto(tx, 'sign_in_link', row);

export const takeLink = (
  tx: Tx,
  digest: string,
  now: Time,
): Promise<Pick<Selectable<Tables['sign_in_link']>, 'tenant_id' | 'user_id'> | null> =>
  findFirst(
    tx
      .deleteFrom('sign_in_link')
      .where('code_digest', '=', digest)
      .where('expires_at', '>', now)
      .returning(['tenant_id', 'user_id']),
  );

export async function deleteExpired(tx: Tx, now: Time): Promise<void> {
  await tx.deleteFrom('sso_flow').where('expires_at', '<=', now).execute();
  await tx.deleteFrom('sso_program').where('expires_at', '<=', now).execute();
  await tx.deleteFrom('sign_in_link').where('expires_at', '<=', now).execute();
}

/** Erases an account's identities at providers. */
export async function eraseIdentities(tx: Tx, tenantId: Key, userId: Key): Promise<void> {
  for (const table of ['sso_identity', 'sso_session', 'sso_program', 'sign_in_link'] as const)
    await tx.deleteFrom(table).where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute();
}
