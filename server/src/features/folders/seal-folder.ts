// Sealing a folder: stores a list of all its files as one file next to it. The proof of that file is the proof of the
// folder.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { SealedFolder } from '@recordproof/shared/api/folders.ts';
import { mostFolderContents } from '@recordproof/shared/api/folders.ts';
import {
  comparePaths,
  type FolderEntry,
  FolderListError,
  folderListType,
  writeFolderList,
} from '@recordproof/shared/evidence/folder-list.ts';
import { joinPath, lastPart, parentOf, rebase } from '@recordproof/shared/file-path.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { storeWritten } from '../file-uploads/index.ts';
import { type FileRow, findTakenNames, takeFreeName } from '../files/index.ts';
import { assertBounded, hasFolder, listContents, noSuchFolder } from './queries.ts';

export async function sealFolder(server: Server, request: Request, path: string): Promise<SealedFolder> {
  const { db } = server.database;
  const owner = ownerOf(request.actor);
  if (!(await hasFolder(db, owner, path))) throw noSuchFolder();
  const files = await listContents(db, owner, path, mostFolderContents + 1);
  assertBounded(files.length);
  if (files.length === 0) throw new ApiError('UNPROCESSABLE', 'there is no file in this folder to seal');
  const entries = toEntries(files, path);
  const folder = parentOf(path) || null;
  const preferredName = `${lastPart(path)}.folder.json`;
  const fileName = takeFreeName(await findTakenNames(db, owner, folder, [preferredName]), preferredName);
  const {
    clientId: _,
    status: __,
    ...stored
  } = await storeWritten(server, request, {
    fileName,
    path: folder ?? undefined,
    contentType: folderListType,
    bytes: writeList(entries),
  });
  return { ...stored, fileName, path: folder, files: files.length };
}

function toEntries(files: readonly FileRow[], folder: string): FolderEntry[] {
  const entries = files.map(file => ({
    path: joinPath(rebase(file.path ?? '', folder, ''), file.file_name).normalize('NFC'),
    size: file.file_size,
    sha256: file.content_hash,
  }));
  entries.sort((a, b) => comparePaths(a.path, b.path));
  const twice = entries.find((entry, at) => entry.path === entries[at + 1]?.path);
  if (twice) throw new ApiError('UNPROCESSABLE', `two files are called ${twice.path}; rename one of them first`);
  return entries;
}

async function* writeList(entries: readonly FolderEntry[]): AsyncGenerator<Uint8Array, void> {
  try {
    yield* writeFolderList(inOne(entries));
  } catch (error) {
    if (error instanceof FolderListError) throw new ApiError('UNPROCESSABLE', error.message, { cause: error });
    throw error;
  }
}

async function* inOne(entries: readonly FolderEntry[]) {
  yield entries;
}
