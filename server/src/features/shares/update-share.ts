// Changes a share that was not cancelled. One that has expired and is given more time gets envelopes anew.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type updateShare as api, shareStatuses } from '@recordproof/shared/api/shares.ts';
import type { Call } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { sealGift } from '../copies/index.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import { type SealedEnvelope, storeEnvelopes } from '../envelopes/index.ts';
import { holdLiveFiles } from '../files/index.ts';
import { toEntry, withoutCode } from './audit-entry.ts';
import { countStep } from './count-queries.ts';
import { toExpiry } from './create-share.ts';
import { findShareWithin, listFilesOf, lockShare, type ShareChange, type ShareRow, updateShare } from './queries.ts';

type Wish = BodyOf<typeof api>;
type Update = { readonly wish: Wish; readonly passwordHash: string | null | undefined };

const maxTries = 3;

type Changes = Pick<Server, 'database' | 'clock' | 'passwords'> & Wrapping;

export async function changeShare(
  server: Changes,
  call: Call,
  { code, wish }: { readonly code: string; readonly wish: Wish },
): Promise<ShareRow> {
  const { db } = server.database;
  const { tenantId, userId: ownerId } = call.actor;
  const passwordHash =
    typeof wish.password === 'string' ? await server.passwords.hash(wish.password, call.ip) : wish.password;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const seen = await findShareWithin(db, { tenantId, ownerId }, code);
    if (!seen) throw new ApiError('SHARE_NOT_FOUND');
    const envelopes = await sealAgain(server, seen, wish);
    const update = { seen, envelopes, wish, passwordHash };
    const changed = await db.transaction().execute(tx => change(server, tx, call, update));
    if (changed) return changed;
  }
  throw new ApiError('SYSTEM_BUSY', undefined, { retryAfterSeconds: 1 });
}

/** Nothing is sealed for a share whose envelopes are still there. */
async function sealAgain(server: Changes, share: ShareRow, wish: Wish): Promise<SealedEnvelope[]> {
  if (share.status !== shareStatuses.EXPIRED || wish.expireMinutes === undefined) return [];
  return sealGift(server, await listFilesOf(server.database.db, share), { type: 'SHARE', id: share.code });
}

/** Null when it was marked as expired, or revived, since it was seen: the envelopes no longer fit. */
async function change(
  { database, clock }: Changes,
  tx: Tx,
  call: Call,
  update: Update & { readonly seen: ShareRow; readonly envelopes: readonly SealedEnvelope[] },
): Promise<ShareRow | null> {
  const { seen, envelopes, wish } = update;
  const share = await lockShare(tx, database.kind, seen.id);
  if (share.status === shareStatuses.CANCELLED) throw new ApiError('SHARE_CANCELLED');
  if (share.status !== seen.status) return null;
  const now = clock.now();
  const changed = await updateShare(tx, share.id, toChange(share, update, now));
  // A file that was deleted since it was sealed is left out, as it is left out of the share.
  const held = await holdLiveFiles(
    tx,
    database.kind,
    share.tenant_id,
    envelopes.map(envelope => envelope.subject.fileId),
  );
  const live = new Set(held.map(file => file.id));
  const wanted = envelopes.filter(({ subject }) => live.has(subject.fileId));
  await storeEnvelopes(tx, wanted, now);
  await countStep(tx, share, { from: share.status, to: changed.status });
  await appendAudit(tx, withoutCode(call, call.actor, share.code), toEntry('update', changed, toParam(wish)), now);
  return changed;
}

function toChange(share: ShareRow, { wish, passwordHash }: Update, now: Time): ShareChange {
  const isOtherType = wish.shareType !== undefined && wish.shareType !== share.share_type;
  const isOtherPassword = passwordHash !== undefined && (passwordHash !== null || share.password_hash !== null);
  const isNarrowed = isOtherType || isOtherPassword;
  return {
    ...(wish.expireMinutes !== undefined && {
      expire_at: toExpiry(now, wish.expireMinutes),
      status: shareStatuses.ACTIVE,
    }),
    ...(wish.shareType !== undefined && { share_type: wish.shareType }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(wish.maxAccesses !== undefined && { max_accesses: wish.maxAccesses }),
    generation: isNarrowed ? share.generation + 1 : share.generation,
  };
}

const toParam = ({ password, ...wish }: Wish) => ({
  ...wish,
  ...(password !== undefined && { password: password === null ? 'taken away' : 'changed' }),
});
