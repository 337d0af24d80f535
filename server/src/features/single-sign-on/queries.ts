// All SQL of single sign-on.
import type { SignInProblem } from '@recordproof/shared/api/single-sign-on.ts';
import type { Insertable, Selectable } from 'kysely';
import { findFirst, hasRow } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type IdentityRow = Selectable<Tables['sso_identity']>;
export type FlowRow = Selectable<Tables['sso_flow']>;
export type ProgramRow = Selectable<Tables['sso_program']>;

/** Looked up by issuer and subject alone: they identify the account, and so the tenant. */
export const findIdentity = (db: Db, issuer: string, subject: string): Promise<IdentityRow | null> =>
  findFirst(db.selectFrom('sso_identity').selectAll().where('issuer', '=', issuer).where('subject', '=', subject));

export const listIdentities = (db: Db, tenantId: Key, userId: Key): Promise<IdentityRow[]> =>
  db
    .selectFrom('sso_identity')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();

export async function insertIdentity(tx: Tx, row: Insertable<Tables['sso_identity']>): Promise<void> {
  await tx.insertInto('sso_identity').values(row).execute();
}

export async function markIdentityUsed(tx: Tx, identity: IdentityRow, provider: string, now: Time): Promise<void> {
  await tx
    .updateTable('sso_identity')
    .set({ last_used_at: now, provider })
    .where('tenant_id', '=', identity.tenant_id)
    .where('id', '=', identity.id)
    .execute();
}

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
  hasRow(
    db
      .selectFrom('sso_identity')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('is_origin', '=', 1),
  );

export async function insertFlow(tx: Tx, row: Insertable<Tables['sso_flow']>): Promise<void> {
  await tx.insertInto('sso_flow').values(row).execute();
}

export const findFlow = (db: Db, stateDigest: string, now: Time): Promise<FlowRow | null> =>
  findFirst(
    db.selectFrom('sso_flow').selectAll().where('state_digest', '=', stateDigest).where('expires_at', '>', now),
  );

/** Returns whether this call consumed it. */
export const takeFlow = (tx: Tx, id: Key): Promise<boolean> =>
  hasRow(tx.deleteFrom('sso_flow').where('id', '=', id).returning('id'));

export async function insertProgram(tx: Tx, row: Insertable<Tables['sso_program']>): Promise<void> {
  await tx.insertInto('sso_program').values(row).execute();
}

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

export async function insertSession(tx: Tx, row: Insertable<Tables['sso_session']>): Promise<void> {
  await tx.insertInto('sso_session').values(row).execute();
}

export type SessionRow = Selectable<Tables['sso_session']>;

export const listSessionsOf = (db: Db, tenantId: Key, userId: Key): Promise<SessionRow[]> =>
  db
    .selectFrom('sso_session')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
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

export async function insertLink(tx: Tx, row: Insertable<Tables['sign_in_link']>): Promise<void> {
  await tx.insertInto('sign_in_link').values(row).execute();
}

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
