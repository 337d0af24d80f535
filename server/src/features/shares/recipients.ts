// Mail recipients of a share's link: addresses, and accounts of the tenant. Each is mailed once, by a job after the
// commit; how many mails an account sends in a day is limited.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { mostRecipients, mostShareMailsPerDay } from '@recordproof/shared/api/shares.ts';
import type { Selectable } from 'kysely';
import type { Origin } from '../../platform/call.ts';
import { countRows, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { findAccountByName } from '../accounts/index.ts';
import type { ShareRow } from './queries.ts';

export type RecipientRow = Selectable<Tables['share_recipient']>;
export type Recipient = Pick<RecipientRow, 'recipient' | 'account_id'>;

export const shareMailKind = 'shares.mail';
const dayMs = 24 * 3600_000;

/** Each once. */
export async function findRecipients(db: Db, { tenantId }: Actor, recipients: readonly string[]): Promise<Recipient[]> {
  const found = new Map<string, Recipient>();
  for (const recipient of recipients) {
    const isAddress = recipient.includes('@');
    const account = isAddress ? null : await findAccountByName(db, tenantId, recipient);
    if (!isAddress && account?.status !== 'ACTIVE')
      throw new ApiError('USER_NOT_EXIST', `there is no account ${recipient}; use an e-mail address instead`);
    const one = { recipient: account?.username ?? recipient, account_id: account?.id ?? null };
    found.set(one.recipient, one);
  }
  return [...found.values()];
}

/** Counts the mails for today and runs the work; if the work fails, they are not counted. */
export async function withinMailLimit<T>(
  { counters, clock }: Pick<Server, 'counters' | 'clock'>,
  { tenantId, userId }: Actor,
  mails: number,
  work: () => Promise<T>,
): Promise<T> {
  const key = `share-mail:${tenantId}:${userId}`;
  let counted = 0;
  try {
    for (; counted < mails; counted += 1) {
      const hit = await counters.shared.hit(key, mostShareMailsPerDay, dayMs, clock.now());
      if (!hit.allowed) throw toLimit(hit.resetAtMs - clock.now());
    }
    return await work();
  } catch (error) {
    for (; counted > 0; counted -= 1) await counters.shared.uncount(key);
    throw error;
  }
}

function toLimit(waitMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  const text = `an account mails at most ${mostShareMailsPerDay} share links in a day`;
  return new ApiError('RATE_LIMITED', text, { retryAfterSeconds });
}

type Adding = Pick<Origin, 'language'> & { readonly recipients: readonly Recipient[]; readonly now: Time };

/** Requires a transaction that locks the share, so that the limit is exact. Existing recipients get no second mail. */
export async function addRecipients(
  tx: Tx,
  share: Pick<ShareRow, 'id' | 'tenant_id' | 'owner_id'>,
  { recipients, language, now }: Adding,
): Promise<void> {
  if (recipients.length === 0) return;
  const { id: share_id, tenant_id, owner_id } = share;
  const added = await tx
    .insertInto('share_recipient')
    .values(recipients.map(one => ({ ...one, share_id, tenant_id, owner_id, mailed_at: null })))
    .onConflict(conflict => conflict.columns(['share_id', 'recipient']).doNothing())
    .returning('id')
    .execute();
  const all = tx.selectFrom('share_recipient').where('tenant_id', '=', tenant_id).where('share_id', '=', share_id);
  if ((await countRows(all)) > mostRecipients)
    throw new ApiError('CONFLICT', `a share has at most ${mostRecipients} recipients; remove some of them first`);
  for (const { id } of added) await enqueue(tx, { kind: shareMailKind, payload: { recipientId: id, language } }, now);
}

/** As they are listed; a user name in any case. */
export async function removeRecipients(tx: Tx, share: ShareRow, recipients: readonly string[]): Promise<void> {
  const folded = new Set(recipients.map(recipient => recipient.toLowerCase()));
  const rows = (await listRecipients(tx, share.tenant_id, [share.id])).get(share.id) ?? [];
  const ids = rows.filter(({ recipient }) => folded.has(recipient.toLowerCase())).map(({ id }) => id);
  if (ids.length === 0) return;
  await tx.deleteFrom('share_recipient').where('tenant_id', '=', share.tenant_id).where('id', 'in', ids).execute();
}

/** By share, in the order in which they were added. */
export async function listRecipients(
  db: Db,
  tenantId: Key,
  shareIds: readonly Key[],
): Promise<ReadonlyMap<Key, RecipientRow[]>> {
  if (shareIds.length === 0) return new Map();
  const rows = await selectWhere(db, 'share_recipient', { tenant_id: tenantId })
    .selectAll()
    .where('share_id', 'in', shareIds)
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, row => row.share_id);
}

/** For a deleted account: the recipients that it added, and the entries that name it. */
export async function deleteRecipientsOf(tx: Tx, tenantId: Key, accountId: Key): Promise<void> {
  await tx
    .deleteFrom('share_recipient')
    .where('tenant_id', '=', tenantId)
    .where(eb => eb.or([eb('owner_id', '=', accountId), eb('account_id', '=', accountId)]))
    .execute();
}
