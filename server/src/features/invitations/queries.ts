// SQL on invitations.
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import type { InvitationState } from '@recordproof/shared/api/invitations.ts';
import type { Insertable, Selectable } from 'kysely';
import { findPage, type RowPage, toOrder } from '../../platform/db/page.ts';
import { findFirst, hasRow } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type InvitationRow = Selectable<Tables['invitation']>;

export const insertInvitation = (tx: Tx, row: Insertable<Tables['invitation']>): Promise<InvitationRow> =>
  tx.insertInto('invitation').values(row).returningAll().executeTakeFirstOrThrow();

export const findInvitation = (db: Db, tenantId: Key, id: Key): Promise<InvitationRow | null> =>
  findFirst(db.selectFrom('invitation').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id));

export const findInvitationBySelector = (db: Db, selector: string): Promise<InvitationRow | null> =>
  findFirst(db.selectFrom('invitation').selectAll().where('selector', '=', selector));

export async function findSelector(tx: Tx, id: Key): Promise<string | null> {
  const row = await tx.selectFrom('invitation').select('selector').where('id', '=', id).executeTakeFirst();
  return row?.selector ?? null;
}

const pending = (tx: Tx, id: Key) =>
  tx.updateTable('invitation').where('id', '=', id).where('accepted_at', 'is', null).where('revoked_at', 'is', null);

/** Returns null if it is no longer pending. Each mail carries a new secret. */
export const setInvitationSecret = (tx: Tx, id: Key, digest: string, now: Time): Promise<InvitationRow | null> =>
  findFirst(pending(tx, id).set({ secret_digest: digest }).where('expires_at', '>', now).returningAll());

/** Returns whether this call accepted it: of concurrent calls, one succeeds. */
export const takeInvitation = (tx: Tx, id: Key, digest: string, now: Time): Promise<boolean> =>
  hasRow(
    pending(tx, id)
      .set({ accepted_at: now })
      .where('secret_digest', '=', digest)
      .where('expires_at', '>', now)
      .returning('id'),
  );

export async function setInvitationAccount(tx: Tx, id: Key, accountId: Key): Promise<void> {
  await tx.updateTable('invitation').set({ accepted_by: accountId }).where('id', '=', id).execute();
}

export async function eraseInvitedAddress(tx: Tx, accountId: Key): Promise<void> {
  await tx.updateTable('invitation').set({ email: null }).where('accepted_by', '=', accountId).execute();
}

/** Returns null if it was already accepted or revoked. */
export const setInvitationRevoked = (tx: Tx, id: Key, now: Time): Promise<InvitationRow | null> =>
  findFirst(pending(tx, id).set({ revoked_at: now }).returningAll());

/** Deletes those that were accepted, revoked or expired before the time; returns how many. */
export async function deleteEndedInvitations(db: Db, before: Time): Promise<number> {
  const ended = db
    .deleteFrom('invitation')
    .where(eb => eb.fn.coalesce('accepted_at', 'revoked_at', 'expires_at'), '<', before);
  return Number((await ended.executeTakeFirst()).numDeletedRows);
}

export function listInvitations(
  db: Db,
  tenantId: Key,
  filter: { readonly state?: InvitationState | undefined; readonly now: Time },
  request: PageRequest,
): Promise<RowPage<InvitationRow>> {
  let query = db.selectFrom('invitation').where('tenant_id', '=', tenantId);
  const { state, now } = filter;
  if (state === 'ACCEPTED') query = query.where('accepted_at', 'is not', null);
  if (state === 'REVOKED') query = query.where('revoked_at', 'is not', null);
  if (state === 'PENDING' || state === 'EXPIRED')
    query = query
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', state === 'PENDING' ? '>' : '<=', now);
  const { column, direction } = toOrder(request, { createdAt: 'created_at' } as const);
  return findPage(query, request, rows => rows.selectAll().orderBy(column, direction).orderBy('id', direction));
}
