// Makes a share of own files: the code, and for every sealed file an envelope that opens it for the code.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type createShare as api, shareCodeLength, shareStatuses } from '@recordproof/shared/api/shares.ts';
import type { Call } from '../../platform/call.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { findOwnFiles, holdGiven, sealGift } from '../copies/index.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import { storeEnvelopes } from '../envelopes/index.ts';
import { toEntry } from './audit-entry.ts';
import { countStep, sumCounts } from './count-queries.ts';
import { insertShare, insertShareFiles, type ShareRow } from './queries.ts';

const maxActiveShares = 10_000;
const minuteMs = 60_000;

export const toExpiry = (now: number, minutes: number): number => now + minutes * minuteMs;

export async function createShare(
  server: Pick<Server, 'database' | 'clock' | 'passwords'> & Wrapping,
  call: Call,
  wish: BodyOf<typeof api>,
): Promise<ShareRow> {
  const { database, clock } = server;
  const { actor } = call;
  const files = await findOwnFiles(database.db, actor, wish.fileHash);
  const passwordHash = wish.password === undefined ? null : await server.passwords.hash(wish.password, call.ip);
  const code = randomBase62(shareCodeLength);
  const envelopes = await sealGift(server, files, { type: 'SHARE', id: code });
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    await holdGiven(tx, database.kind, actor.tenantId, files);
    const share = await insertShare(tx, {
      tenant_id: actor.tenantId,
      owner_id: actor.userId,
      code,
      share_type: wish.shareType,
      status: shareStatuses.ACTIVE,
      password_hash: passwordHash,
      max_accesses: wish.maxAccesses ?? null,
      access_count: 0,
      view_count: 0,
      download_count: 0,
      save_count: 0,
      generation: 1,
      expire_at: toExpiry(now, wish.expireMinutes),
      created_at: now,
    });
    await insertShareFiles(tx, share, files);
    await storeEnvelopes(tx, envelopes, now);
    refuseTooMany(await countStep(tx, share, { from: null, to: share.status }));
    await appendAudit(tx, call, toEntry('create', share, { fileIds: files.map(file => file.id) }), now);
    return share;
  });
}

/** After it was counted: rivals wait for each other there. */
function refuseTooMany(counts: Parameters<typeof sumCounts>[0]): void {
  if (sumCounts(counts, shareStatuses.ACTIVE) <= maxActiveShares) return;
  throw new ApiError('CONFLICT', `you have ${maxActiveShares} active shares; cancel some of them first`);
}
