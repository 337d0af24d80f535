// Makes a share of own files: the code, and for every sealed file an envelope that opens it for the code.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type createShare as api, shareCodeLength, shareStatuses } from '@recordproof/shared/api/shares.ts';
import { hashPassword } from '../../platform/crypto/password-hash.ts';
import type { Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { findOwnFiles, holdGiven, sealGift } from '../copies/index.ts';
import { storeEnvelope } from '../envelopes/index.ts';
import { toEntry } from './audit-entry.ts';
import type { SharePorts } from './ports.ts';
import { countActiveShares, insertShare, insertShareFiles, type ShareRow } from './queries.ts';

const maxActiveShares = 10_000;
const minuteMs = 60_000;

export const toExpiry = (now: number, minutes: number): number => now + minutes * minuteMs;

export async function createShare(
  ports: SharePorts,
  actor: Actor,
  wish: BodyOf<typeof api>,
  origin: Origin,
): Promise<ShareRow> {
  const { database, clock } = ports;
  const files = await findOwnFiles(ports.db, actor, wish.fileHash);
  const passwordHash = wish.password === undefined ? null : await hashPassword(wish.password);
  const code = randomBase62(shareCodeLength);
  const envelopes = await sealGift(ports, files, { type: 'SHARE', id: code });
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    await refuseTooMany(tx, actor);
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
    for (const envelope of envelopes) await storeEnvelope(tx, envelope, now);
    await appendAudit(tx, toEntry('create', actor, share, { fileIds: files.map(file => file.id) }, origin), now);
    return share;
  });
}

async function refuseTooMany(tx: Tx, { tenantId, userId: ownerId }: Actor): Promise<void> {
  if ((await countActiveShares(tx, { tenantId, ownerId })) < maxActiveShares) return;
  throw new ApiError('CONFLICT', `you have ${maxActiveShares} active shares; cancel some of them first`);
}
