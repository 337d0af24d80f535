// Changes to a share that was not cancelled: its terms, texts, files and mail recipients. An expired share whose
// lifetime is extended gets new envelopes.
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type updateShare as api, shareStatuses } from '@recordproof/shared/api/shares.ts';
import type { Call } from '../../platform/call.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { findOwnFiles, sealGift } from '../copies/index.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import type { SealedEnvelope } from '../envelopes/index.ts';
import type { FileRow } from '../files/index.ts';
import { toEntry, withoutCode } from './audit-entry.ts';
import { toExpiry } from './create-share.ts';
import { countStep } from './list-queries.ts';
import { statusOf } from './policy.ts';
import {
  deleteShareFiles,
  findShareWithin,
  listMembers,
  lockShare,
  type ShareChange,
  type ShareRow,
  updateShare,
} from './queries.ts';
import { addRecipients, findRecipients, type Recipient, removeRecipients, withinMailLimit } from './recipients.ts';
import { changeContents, storeSealedMembers } from './share-contents.ts';
import { isLiving } from './shared-folder.ts';

type Input = BodyOf<typeof api>;

type Update = {
  readonly input: Input;
  readonly passwordHash: string | null | undefined;
  readonly added: readonly FileRow[];
  readonly recipients: readonly Recipient[];
};

const maxTries = 3;

type Changes = Pick<Server, 'database' | 'clock' | 'passwords' | 'counters'> & Wrapping;

export async function changeShare(
  server: Changes,
  call: Call,
  { code, input }: { readonly code: string; readonly input: Input },
): Promise<ShareRow> {
  const { db } = server.database;
  const passwordHash =
    typeof input.password === 'string' ? await server.passwords.hash(input.password, call.ip) : input.password;
  const { files: added } = await findOwnFiles(db, call.actor, input.addFiles ?? []);
  const recipients = await findRecipients(db, call.actor, input.addRecipients ?? []);
  const update = { input, passwordHash, added, recipients };
  return withinMailLimit(server, call.actor, recipients.length, () => tryToChange(server, call, code, update));
}

async function tryToChange(server: Changes, call: Call, code: string, update: Update): Promise<ShareRow> {
  const { db } = server.database;
  const { tenantId, userId: ownerId } = call.actor;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const seen = await findShareWithin(db, { tenantId, ownerId }, code);
    if (!seen) throw new ApiError('SHARE_NOT_FOUND');
    const envelopes = await sealNeeded(server, seen, update);
    const changed = await db.transaction().execute(tx => change(server, tx, call, { ...update, seen, envelopes }));
    if (changed) return changed;
  }
  throw new ApiError('SYSTEM_BUSY', undefined, { retryAfterSeconds: 1 });
}

/** For added files, and for all files of a share that is reactivated: its envelopes were revoked. */
async function sealNeeded(server: Changes, share: ShareRow, { input, added }: Update): Promise<SealedEnvelope[]> {
  if (isLiving(share)) {
    if (input.addFiles === undefined && input.removeFiles === undefined) return [];
    throw new ApiError('UNPROCESSABLE', 'this share always contains the files of its folder: add files to the folder');
  }
  const isBack = isRevived(share, input);
  const members = isBack ? await listMembers(server.database.db, share) : [];
  const memberIds = new Set(members.map(({ id }) => id));
  const files = isBack || share.status === shareStatuses.ACTIVE ? added.filter(({ id }) => !memberIds.has(id)) : [];
  return sealGift(server, [...members, ...files], { type: 'SHARE', id: share.code });
}

const isRevived = (share: ShareRow, { expireMinutes }: Input): boolean =>
  share.status === shareStatuses.EXPIRED && expireMinutes !== undefined;

type Attempt = Update & { readonly seen: ShareRow; readonly envelopes: readonly SealedEnvelope[] };

/** Null when it was marked as expired, or revived, since it was seen: the envelopes no longer fit. */
async function change({ database, clock }: Changes, tx: Tx, call: Call, update: Attempt): Promise<ShareRow | null> {
  const { seen, envelopes, input, added } = update;
  const engine = database.kind;
  const share = await lockShare(tx, engine, seen.id);
  if (share.status === shareStatuses.CANCELLED) throw new ApiError('SHARE_CANCELLED');
  if (share.status !== seen.status) return null;
  const now = clock.now();
  const changed = await updateShare(tx, share.id, toChange(share, update, now));
  await changeContents(tx, engine, share, { added, removed: input.removeFiles ?? [], now });
  await storeSealedMembers(tx, engine, share, { envelopes, added, now });
  if (isRevived(share, input) && isLiving(share)) await deleteShareFiles(tx, share); // sealed again when they are opened
  if (update.recipients.length > 0 && statusOf(changed, now) === shareStatuses.EXPIRED)
    throw new ApiError('SHARE_EXPIRED', 'this share has expired: extend it before mailing its link');
  await removeRecipients(tx, share, input.removeRecipients ?? []);
  await addRecipients(tx, share, { recipients: update.recipients, language: call.language, now });
  await countStep(tx, share, { from: share.status, to: changed.status });
  await appendAudit(tx, withoutCode(call, call.actor, share.code), toEntry('update', changed, toParam(input)), now);
  return changed;
}

function toChange(share: ShareRow, { input, passwordHash }: Update, now: Time): ShareChange {
  const isOtherType = input.shareType !== undefined && input.shareType !== share.share_type;
  const isOtherPassword = passwordHash !== undefined && (passwordHash !== null || share.password_hash !== null);
  const isNarrowed = isOtherType || isOtherPassword;
  return {
    ...(input.expireMinutes !== undefined && {
      expire_at: toExpiry(now, input.expireMinutes),
      status: shareStatuses.ACTIVE,
    }),
    ...(input.shareType !== undefined && { share_type: input.shareType }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(input.maxAccesses !== undefined && { max_accesses: input.maxAccesses }),
    ...(input.title !== undefined && { title: input.title }),
    ...(input.message !== undefined && { message: input.message }),
    generation: isNarrowed ? share.generation + 1 : share.generation,
  };
}

const toParam = ({ password, message, ...input }: Input) => ({
  ...input,
  ...(password !== undefined && { password: password === null ? 'taken away' : 'changed' }),
  ...(message !== undefined && { message: message === null ? 'taken away' : 'changed' }),
});
