// The end of a share: by cancellation, or at its expiry by a job. Its envelopes are revoked in the same transaction. A
// running download continues; no other starts.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { shareStatuses } from '@recordproof/shared/api/shares.ts';
import { type Call, localCall, type Party } from '../../platform/call.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { enqueue, exponentialBackoff, type JobHandler } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { revokeGift } from '../envelopes/index.ts';
import { deleteAccessesBefore } from './access-log.ts';
import { toEntry, withoutCode } from './audit-entry.ts';
import { deleteExpiredDownloads } from './grants.ts';
import { countStep } from './list-queries.ts';
import { giftOf } from './policy.ts';
import {
  findShareWithin,
  listActiveOfOwner,
  listDue,
  lockShare,
  type ShareRow,
  type ShareScope,
  updateShare,
} from './queries.ts';

/** Idempotent: cancelling again changes and records nothing. */
export async function cancelShare(
  { database, clock }: Pick<Server, 'database' | 'clock'>,
  call: Call<Party>,
  { scope, code }: { readonly scope: ShareScope; readonly code: string },
): Promise<void> {
  const found = await findShareWithin(database.db, scope, code);
  if (!found) throw new ApiError('SHARE_NOT_FOUND');
  await database.db.transaction().execute(async tx => {
    const share = await lockShare(tx, database.kind, found.id);
    if (share.status === shareStatuses.CANCELLED) return;
    const now = clock.now();
    await end(tx, database.kind, share, shareStatuses.CANCELLED, now);
    const operation = share.owner_id === call.actor.userId ? 'cancel' : 'force-cancel';
    await appendAudit(tx, withoutCode(call, call.actor, code), toEntry(operation, share), now);
  });
}

type EndedStatus = Exclude<(typeof shareStatuses)[keyof typeof shareStatuses], typeof shareStatuses.ACTIVE>;

async function end(tx: Tx, engine: Engine, share: ShareRow, status: EndedStatus, now: Time): Promise<void> {
  await updateShare(tx, share.id, { status });
  await revokeGift(tx, engine, giftOf(share), now);
  await countStep(tx, share, { from: share.status, to: status });
}

export const expiryJobKind = 'shares.expire';
const batch = 100;
const dayMs = 24 * 3600_000;
const logRetentionDays = 180;

export const expireShares = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: expiryJobKind,
  leaseSeconds: 120,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async job => {
    for (let due = batch; due === batch; ) {
      const shares = await listDue(database.db, clock.now(), batch);
      due = shares.length;
      for (const share of shares) {
        job.signal.throwIfAborted();
        await database.db.transaction().execute(tx => expire(tx, database.kind, share, clock.now()));
      }
      await job.keepLease();
    }
    await database.db.transaction().execute(tx => deleteExpiredDownloads(tx, clock.now()));
    const before = clock.now() - logRetentionDays * dayMs;
    for (let gone = batch; gone === batch && !job.signal.aborted; )
      gone = await database.db.transaction().execute(tx => deleteAccessesBefore(tx, before, batch));
  },
});

/** Its expiry may have been extended, or it was cancelled, since it was found. */
async function expire(tx: Tx, engine: Engine, found: ShareRow, now: Time): Promise<void> {
  const share = await lockShare(tx, engine, found.id);
  if (share.status !== shareStatuses.ACTIVE || share.expire_at > now) return;
  await end(tx, engine, share, shareStatuses.EXPIRED, now);
  await appendAudit(tx, localCall(expiryJobKind, share.tenant_id, now), toEntry('expire', share), now);
}

const ownerJobKind = 'shares.end-of-owner';

type OwnerPayload = { readonly tenantId: Key; readonly ownerId: Key };

export const enqueueEndOfShares = (tx: Tx, payload: OwnerPayload, now: Time) =>
  enqueue(tx, { kind: ownerJobKind, payload }, now);

/** The share links of a deleted account. */
export const endSharesOfOwner = ({ database, clock }: Pick<Server, 'database' | 'clock'>): JobHandler => ({
  kind: ownerJobKind,
  leaseSeconds: 120,
  maxAttempts: 20,
  backoffSeconds: exponentialBackoff(10, 600),
  run: async job => {
    const { tenantId, ownerId } = job.payload as OwnerPayload;
    for (let found = batch; found === batch; ) {
      const shares = await listActiveOfOwner(database.db, tenantId, ownerId, batch);
      found = shares.length;
      for (const { code } of shares) {
        job.signal.throwIfAborted();
        const call = localCall(ownerJobKind, tenantId, clock.now());
        await cancelShare({ database, clock }, call, { scope: { tenantId, ownerId }, code });
      }
      await job.keepLease();
    }
  },
});
