// Folder creation, and deletion with all contents.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { mostFolderContents } from '@recordproof/shared/api/folders.ts';
import type { Call } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { chainOf, ensureFolders, lockFolders } from '../files/index.ts';
import { trashChains } from '../trash/index.ts';
import { assertBounded, deleteFolderRows, hasFolder, lockContents, noSuchFolder } from './queries.ts';

type Dependencies = Pick<Server, 'database' | 'clock'>;

export const createFolder = ({ database, clock }: Dependencies, call: Call, path: string) =>
  database.db.transaction().execute(async tx => {
    const owner = ownerOf(call.actor);
    await lockFolders(tx, database.kind, owner);
    const now = clock.now();
    const created = await ensureFolders(tx, database.kind, [{ ...owner, path }], now);
    if (created.length > 0)
      await recordAudit(tx, call, now, 'folders.create', `folder ${path} created`, { path, folders: created.length });
    return { path, created: created.includes(path) };
  });

type Deletion = { readonly path: string; readonly recursive: boolean };

/** Moves its files to the owner's trash, each with all its versions. */
export const deleteFolder = ({ database, clock }: Dependencies, call: Call, { path, recursive }: Deletion) =>
  database.db.transaction().execute(async tx => {
    const owner = ownerOf(call.actor);
    await lockFolders(tx, database.kind, owner);
    if (!(await hasFolder(tx, owner, path))) throw noSuchFolder();
    const { files, folders } = await lockContents(tx, database.kind, owner, path, mostFolderContents + 1);
    assertBounded(files.length);
    if (!recursive && (files.length > 0 || folders.length > 1))
      throw new ApiError('CONFLICT', 'this folder is not empty; delete it with recursive=true');
    const now = clock.now();
    await trashChains(tx, database.kind, owner, files.map(chainOf), now);
    await deleteFolderRows(tx, owner, path);
    const param = { path, files: files.length, folders: folders.length };
    await recordAudit(tx, call, now, 'folders.delete', `folder ${path} deleted`, param);
    return { files: files.length, folders: folders.length, deletedAt: toIso(now) };
  });
