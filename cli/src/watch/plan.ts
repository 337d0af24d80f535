// Upload plan for stable files, which several scans found unchanged: they are hashed, compared with the stored state,
// and logged before anything is sent.
import { randomUUID } from 'node:crypto';
import { relative, sep } from 'node:path';
import { openFileSource } from '@recordproof/shared/node/file-source.ts';
import { fitsIntoBulk, toBulkSets } from '@recordproof/shared/transfer/bulk-upload.ts';
import { TransferError } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Sending, WatchEvent } from './events.ts';
import { revisionOf, type Seen } from './scan-folder.ts';
import type { Watching } from './watching.ts';

/** Limited, so that proofs are fetched and changes are detected between the calls of a large folder. */
const mostSets = 4;

/** The work of one round: some sets of small files, and one large file. */
export function toSets(resting: readonly Seen[]): Seen[][] {
  const small = resting.filter(({ size }) => fitsIntoBulk(size));
  const large = resting.find(({ size }) => !fitsIntoBulk(size));
  return [...toBulkSets(small, ({ size }) => size).slice(0, mostSets), ...(large ? [[large]] : [])];
}

type Hashed = { readonly seen: Seen; readonly contentHash: string | 'unreadable' };

/** Undefined for files that were written or moved meanwhile: they are not stable. */
async function hash({ transfers }: Watching, seen: Seen): Promise<Hashed | undefined> {
  try {
    await using source = await openFileSource(seen.diskPath, transfers.pool);
    const contentHash = await source.digest(0, source.size, transfers.signal);
    return source.size === seen.size && revisionOf(seen.diskPath) === seen.revision ? { seen, contentHash } : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') return { seen, contentHash: 'unreadable' };
    if (code === 'ENOENT' || code === 'ENOTDIR' || error instanceof TransferError) return undefined;
    throw error;
  }
}

async function hashAll(watching: Watching, set: readonly Seen[]): Promise<Hashed[]> {
  const hashed: (Hashed | undefined)[] = [];
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < set.length; at = next++) hashed[at] = await hash(watching, set[at] as Seen);
  };
  await Promise.all(Array.from({ length: watching.transfers.pool.size * 2 }, lane));
  return hashed.filter(one => one !== undefined);
}

/** The requestId under which the set is sent; none where all of it is stored already. */
export async function planCall(
  watching: Watching,
  set: readonly Seen[],
  findOldPath: (seen: Seen) => string | undefined,
): Promise<string | undefined> {
  const requestId = randomUUID();
  const events = (await hashAll(watching, set)).map((one): WatchEvent => {
    const { path, revision } = one.seen;
    if (one.contentHash === 'unreadable') return { event: 'left-out', path, revision, why: 'it may not be read' };
    const isStored = watching.memory.files.get(path)?.contentHash === one.contentHash;
    return isStored ? { event: 'same', path, revision } : toSending(watching, one, requestId, findOldPath(one.seen));
  });
  await watching.note(...events);
  return watching.memory.calls.has(requestId) ? requestId : undefined;
}

const toOnDisk = (folder: string, { diskPath }: Seen): string => relative(folder, diskPath).split(sep).join('/');

function toSending(
  { folder, memory }: Watching,
  { seen, contentHash }: Hashed,
  requestId: string,
  oldPath: string | undefined,
): Sending {
  const { path, revision, size } = seen;
  const onDisk = toOnDisk(folder, seen);
  const targetFileId = memory.files.get(path)?.stored?.fileId;
  const isRenamed = oldPath !== undefined && memory.files.get(oldPath)?.contentHash === contentHash;
  return {
    event: 'sending',
    ...{ path, revision, size, contentHash, requestId },
    ...(onDisk !== path && { onDisk }),
    ...(targetFileId !== undefined && { targetFileId }),
    ...(isRenamed && { renamedFrom: oldPath }),
  };
}
