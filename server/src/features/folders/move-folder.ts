// Moving and renaming a folder with its contents, in one transaction. Records and proofs do not change.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { maxPathBytes } from '@recordproof/shared/api/files.ts';
import { mostFolderContents } from '@recordproof/shared/api/folders.ts';
import { isBelow, parentOf, rebase } from '@recordproof/shared/file-path.ts';
import type { Call } from '../../platform/call.ts';
import type { Tx } from '../../platform/db/tables.ts';
import { type Owner, ownerOf } from '../../platform/http/caller.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { ensureFolders, lockFolders } from '../files/index.ts';
import { type Moved, type OnConflict, toConflict } from './move-files.ts';
import { placeFiles } from './path-queries.ts';
import { assertBounded, hasFolder, lockContents, moveFolderRows, noSuchFolder } from './queries.ts';

type FolderMove = { readonly from: string; readonly path: string; readonly onConflict: OnConflict };

export async function moveFolder(
  { database, clock, hooks }: Pick<Server, 'database' | 'clock' | 'hooks'>,
  call: Call,
  { from, path, onConflict }: FolderMove,
): Promise<Moved> {
  const owner = ownerOf(call.actor);
  const unmoved = { moved: 0, skipped: [], renamed: [], path: from };
  if (path !== from && isBelow(path, from)) throw new ApiError('CONFLICT', 'a folder cannot be moved into itself');
  return database.db.transaction().execute(async tx => {
    await lockFolders(tx, database.kind, owner);
    const now = clock.now();
    if (!(await hasFolder(tx, owner, from))) throw noSuchFolder();
    if (path === from) return unmoved;
    const to = await findTarget(tx, owner, path, onConflict);
    if (to === null) return { ...unmoved, skipped: [from] };
    for (const follow of hooks.of('folderMoved')) await follow(tx, owner, { from, to });
    const { files, folders } = await lockContents(tx, database.kind, owner, from, mostFolderContents + 1);
    assertBounded(files.length);
    const longest = Math.max(...folders.map(each => Buffer.byteLength(rebase(each, from, to))));
    if (longest > maxPathBytes)
      throw new ApiError('UNPROCESSABLE', `a path would be ${longest} bytes long; at most ${maxPathBytes} are allowed`);
    await ensureFolders(tx, database.kind, [{ ...owner, path: parentOf(to) }], now);
    await moveFolderRows(tx, owner, { from, to, parent: parentOf(to) });
    const moves = files.map(file => ({ file, path: rebase(file.path ?? '', from, to), fileName: file.file_name }));
    await placeFiles(tx, database.kind, moves, { now, by: owner.ownerId });
    const param = { from, to, files: files.length };
    await recordAudit(tx, call, now, 'folders.move', `folder ${from} moved to ${to}`, param);
    return { ...unmoved, moved: files.length, path: to };
  });
}

/** Returns null if the folder stays. */
async function findTarget(tx: Tx, owner: Owner, path: string, onConflict: OnConflict): Promise<string | null> {
  if (!(await hasFolder(tx, owner, path))) return path;
  if (onConflict === 'skip') return null;
  if (onConflict === 'fail') throw toConflict([{ path }]);
  for (let number = 2; ; number += 1) {
    const numbered = `${path} (${number})`;
    if (!(await hasFolder(tx, owner, numbered))) return numbered;
  }
}
