// Shares of folders. A fixed set is listed when the share is created. A live share contains what is in its folder when
// requested, and seals a file for its code when that is first opened.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { maxSharedFiles, mostFolderFiles, shareStatuses } from '@recordproof/shared/api/shares.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { isBelow, parentOf } from '@recordproof/shared/file-path.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor, Owner } from '../../platform/http/caller.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { Server } from '../../platform/server.ts';
import { sealGift } from '../copies/index.ts';
import type { Wrapping } from '../crypto-policy/index.ts';
import { listSealedFor, storeEnvelopes } from '../envelopes/index.ts';
import { type FileRow, isLive, lockLiveFiles } from '../files/index.ts';
import { findFolderTime, listContents, noSuchFolder } from '../folders/index.ts';
import { giftOf } from './policy.ts';
import { addShareFiles, isInShare, listMembers, lockShare, type ShareRow } from './queries.ts';

type FolderGiven = Pick<ShareRow, 'tenant_id' | 'owner_id' | 'folder' | 'folder_since'>;

const ownerOf = ({ tenant_id: tenantId, owner_id: ownerId }: FolderGiven): Owner => ({ tenantId, ownerId });

export const isLiving = ({ folder_since }: Pick<ShareRow, 'folder_since'>): boolean => folder_since !== null;

/** A folder deleted and created again under the same name is a different one. */
async function hasItsFolder(db: Db, share: FolderGiven): Promise<boolean> {
  return share.folder !== null && (await findFolderTime(db, ownerOf(share), share.folder)) === share.folder_since;
}

async function listLiving(db: Db, share: FolderGiven, limit: number): Promise<FileRow[]> {
  if (share.folder === null || !(await hasItsFolder(db, share))) return [];
  return listContents(db, ownerOf(share), share.folder, limit);
}

/** Without deleted files. */
export const listFilesOf = (db: Db, share: ShareRow): Promise<FileRow[]> =>
  isLiving(share) ? listLiving(db, share, mostFolderFiles) : listMembers(db, share);

/** Files as visitors see them: paths begin with the shared folder, without its parents. `preloaded`: already read. */
export async function listShown(db: Db, share: ShareRow, preloaded?: readonly FileRow[]): Promise<FileRow[]> {
  const files = preloaded ?? (await listFilesOf(db, share));
  return files.map(file => toShownFile(share, file));
}

const toShownFile = ({ folder }: Pick<ShareRow, 'folder'>, file: FileRow): FileRow => {
  const above = folder === null ? '' : parentOf(folder);
  if (above === '' || file.path === null || !isBelow(file.path, above)) return file;
  return { ...file, path: file.path.slice(above.length + 1) };
};

/** One more than is shown to owners, to indicate that there are more. */
export async function listBegins(
  db: Db,
  tenantId: Key,
  shares: readonly ShareRow[],
  members: Members,
): Promise<Begins> {
  const living = shares.filter(isLiving);
  const found = await inParallel(living, share => listLiving(db, share, maxSharedFiles + 1));
  const fixedIds = shares.filter(share => !isLiving(share)).map(({ id }) => id);
  const fixed = await members(db, tenantId, fixedIds, maxSharedFiles + 1);
  return new Map([...fixed, ...living.map((share, at) => [share.id, found[at] ?? []] as const)]);
}

type Begins = ReadonlyMap<Key, FileRow[]>;
type Members = (db: Db, tenantId: Key, shareIds: readonly Key[], limit: number) => Promise<Begins>;

async function isInLiving(db: Db, share: ShareRow, file: FileRow): Promise<boolean> {
  const { folder, owner_id, tenant_id } = share;
  const isThere = folder !== null && file.path !== null && isBelow(file.path, folder) && file.is_latest === 1;
  return isThere && file.owner_id === owner_id && file.tenant_id === tenant_id && (await hasItsFolder(db, share));
}

/** Whether the file is in the share. */
export const isGiven = (db: Db, share: ShareRow, file: FileRow): Promise<boolean> =>
  isLiving(share) ? isInLiving(db, share, file) : isInShare(db, share.id, file.id);

type FolderScope = { readonly folder: string; readonly includesLater: boolean };

/** The files of a fixed set; none for a live one, whose files are sealed when they are opened. */
export async function readFolder(db: Db, actor: Actor, { folder, includesLater }: FolderScope) {
  const owner = { tenantId: actor.tenantId, ownerId: actor.userId };
  const since = await findFolderTime(db, owner, folder);
  if (since === null) throw noSuchFolder();
  const files = await listContents(db, owner, folder, mostFolderFiles + 1);
  if (files.length > mostFolderFiles)
    throw new ApiError(
      'UNPROCESSABLE',
      `a share contains at most ${mostFolderFiles} files; share the subfolders instead`,
    );
  if (includesLater) return { files: [], folder, since };
  if (files.length === 0) throw new ApiError('UNPROCESSABLE', 'the folder contains no files');
  return { files, folder, since: null };
}

/** Envelopes for files added to a live share; called before their bytes are opened. */
export async function sealLiving(
  server: Pick<Server, 'database' | 'clock'> & Wrapping,
  share: ShareRow,
  files: readonly FileRow[],
): Promise<void> {
  const sealed = files.filter(file => file.encryption !== plainSuite);
  if (!isLiving(share) || sealed.length === 0) return;
  const { db, kind } = server.database;
  const missing = await withoutSealed(db, share, sealed);
  if (missing.length === 0) return;
  const envelopes = await sealGift(server, missing, { type: 'SHARE', id: share.code });
  await db.transaction().execute(async tx => {
    const locked = await lockShare(tx, kind, share.id);
    if (locked.status !== shareStatuses.ACTIVE) return; // its end would not revoke envelopes stored later
    const ids = missing.map(({ id }) => id);
    const live = (await lockLiveFiles(tx, kind, share.tenant_id, ids)).filter(isLive);
    const open = new Set((await withoutSealed(tx, share, live)).map(({ id }) => id));
    const fresh = envelopes.filter(({ subject }) => open.has(subject.fileId));
    await storeEnvelopes(tx, fresh, server.clock.now());
    const freshIds = fresh.map(({ subject }) => subject.fileId);
    await addShareFiles(tx, share, freshIds);
  });
}

async function withoutSealed<F extends Pick<FileRow, 'id'>>(
  db: Db,
  share: ShareRow,
  files: readonly F[],
): Promise<F[]> {
  const ids = files.map(({ id }) => id);
  const sealed = await listSealedFor(db, giftOf(share), ids);
  return files.filter(({ id }) => !sealed.has(id));
}
