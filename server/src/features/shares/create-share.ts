// Makes a share of own files: the code, and for every sealed file an envelope that opens it for the code.

import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type createShare as api, shareCodeLength, shareStatuses } from '@recordproof/shared/api/shares.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { hashPassword } from '../../platform/crypto/password-hash.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { appendAudit, type Origin } from '../audit/index.ts';
import { openFileKey, type SealedEnvelope, sealFor, storeEnvelope } from '../envelopes/index.ts';
import { type FileRow, findFileByHash, holdLiveFiles, isLive } from '../files/index.ts';
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
  const files = await getOwnFiles(ports, actor, wish.fileHash);
  const passwordHash = wish.password === undefined ? null : await hashPassword(wish.password);
  const code = randomBase62(shareCodeLength);
  const envelopes = await sealForShare(ports, files, code);
  return database.db.transaction().execute(async tx => {
    const now = clock.now();
    await refuseTooMany(tx, actor);
    await holdAll(tx, database.kind, files);
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

/** In the order asked for, each once. Anything that is not there, or not one's own, refuses all. */
async function getOwnFiles({ db }: SharePorts, actor: Actor, hashes: readonly string[]): Promise<FileRow[]> {
  const found = await inParallel([...new Set(hashes)], hash => findFileByHash(db, actor.tenantId, hash));
  return found.map(file => {
    if (file?.owner_id !== actor.userId || !isLive(file)) throw new ApiError('FILE_NOT_EXIST');
    return file;
  });
}

async function refuseTooMany(tx: Tx, { tenantId, userId: ownerId }: Actor): Promise<void> {
  if ((await countActiveShares(tx, { tenantId, ownerId })) < maxActiveShares) return;
  throw new ApiError('CONFLICT', `you have ${maxActiveShares} active shares; cancel some of them first`);
}

/** Asks the key provider, so it comes before the transaction that stores the envelopes. */
export async function sealForShare(
  { db, keyProvider }: SharePorts,
  files: readonly FileRow[],
  code: string,
): Promise<SealedEnvelope[]> {
  const sealed = files.filter(file => file.encryption !== plainSuite);
  return inParallel(sealed, async file => {
    const subject = { tenantId: file.tenant_id, fileId: file.id, fileHash: file.file_hash };
    const owner = { ...subject, recipientType: 'OWNER', recipientId: String(file.owner_id) } as const;
    const key = await openFileKey(db, [keyProvider], owner, Buffer.from(file.file_nonce ?? '', 'hex'));
    return sealFor(keyProvider, key, { ...subject, recipientType: 'SHARE', recipientId: code });
  });
}

/** No file is deleted between this look and the commit, so none has an envelope that outlives it. */
export async function holdAll(
  tx: Tx,
  engine: SharePorts['database']['kind'],
  files: readonly FileRow[],
): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  const ids: Key[] = files.map(file => file.id);
  const held = await holdLiveFiles(tx, engine, first.tenant_id, ids);
  if (held.length < ids.length) throw new ApiError('FILE_NOT_EXIST');
}
