// Share creation for own files or a folder: the code, and for every sealed file an envelope for the code.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type createShare as api, shareCodeLength, shareStatuses } from '@recordproof/shared/api/shares.ts';
import type { Call } from '../../platform/call.ts';
import type { Db } from '../../platform/db/tables.ts';
import { writeTogether } from '../../platform/db/write-together.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { findOwnFiles, sealGift } from '../copies/index.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import { writeEnvelopes } from '../envelopes/index.ts';
import type { FileRow } from '../files/index.ts';
import { toEntry } from './audit-entry.ts';
import { countStep, sumCounts } from './list-queries.ts';
import { insertShare, type ShareRow, writeShareFiles } from './queries.ts';
import { addRecipients, findRecipients, withinMailLimit } from './recipients.ts';
import { readFolder } from './shared-folder.ts';

const maxActiveShares = 10_000;
const minuteMs = 60_000;

export const toExpiry = (now: number, minutes: number): number => now + minutes * minuteMs;

export async function createShare(
  server: Pick<Server, 'database' | 'clock' | 'passwords' | 'counters'> & Wrapping,
  call: Call,
  input: BodyOf<typeof api>,
): Promise<{ readonly share: ShareRow; readonly files: readonly FileRow[] }> {
  const { database, clock } = server;
  const { actor } = call;
  const { files, keys, folder, since } = await findContents(database.db, actor, input);
  const passwordHash = input.password === undefined ? null : await server.passwords.hash(input.password, call.ip);
  const code = randomBase62(shareCodeLength);
  const envelopes = await sealGift(server, files, { type: 'SHARE', id: code }, keys);
  const recipients = await findRecipients(database.db, actor, input.addRecipients ?? []);
  return withinMailLimit(server, actor, recipients.length, () =>
    database.db.transaction().execute(async tx => {
      const now = clock.now();
      const share = await insertShare(tx, {
        tenant_id: actor.tenantId,
        owner_id: actor.userId,
        code,
        share_type: input.shareType,
        status: shareStatuses.ACTIVE,
        password_hash: passwordHash,
        max_accesses: input.maxAccesses ?? null,
        access_count: 0,
        view_count: 0,
        download_count: 0,
        save_count: 0,
        generation: 1,
        expire_at: toExpiry(now, input.expireMinutes),
        created_at: now,
        folder,
        folder_since: since,
        title: input.title ?? null,
        message: input.message ?? null,
      });
      const writes = [...writeShareFiles(tx, database.kind, share, files), ...writeEnvelopes(tx, envelopes, now)];
      const [written = 0] = await writeTogether(tx, database.kind, writes);
      if (written < files.length) throw new ApiError('FILE_NOT_EXIST');
      await addRecipients(tx, share, { recipients, language: call.language, now });
      rejectTooMany(await countStep(tx, share, { from: null, to: share.status }));
      const param = { fileIds: files.map(file => file.id), folder, recipients: input.addRecipients ?? [] };
      await appendAudit(tx, call, toEntry('create', share, param), now);
      return { share, files };
    }),
  );
}

async function findContents(db: Db, actor: Actor, { fileHash, folder, includesLater = false }: BodyOf<typeof api>) {
  if (folder !== undefined) return { ...(await readFolder(db, actor, { folder, includesLater })), keys: undefined };
  return { ...(await findOwnFiles(db, actor, fileHash ?? [])), folder: null, since: null };
}

/** After counting: concurrent calls wait for each other there. */
function rejectTooMany(counts: Parameters<typeof sumCounts>[0]): void {
  if (sumCounts(counts, shareStatuses.ACTIVE) <= maxActiveShares) return;
  throw new ApiError('CONFLICT', `you have ${maxActiveShares} active shares; cancel some of them first`);
}
