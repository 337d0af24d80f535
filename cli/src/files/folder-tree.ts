// The files of a stored folder, each with its local path. Labels are chosen by the uploader: no part of one leads out of the
// target folder or becomes a hidden name.
import type { Client } from '@recordproof/shared/api/client.ts';
import { type File, folderPath } from '@recordproof/shared/api/files.ts';
import { listFolderFiles } from '@recordproof/shared/api/folders.ts';
import { ownFile } from '@recordproof/shared/transfer/download-source.ts';
import { CommandError } from '../platform/command-error.ts';
import { parseField } from '../platform/fields.ts';
import { nameEach, toLocalName, writeOtherName } from './local-names.ts';

/** All files of a folder, or below it. */
export async function listFolder(client: Client, path: string): Promise<File[]> {
  const files: File[] = [];
  let cursor: string | undefined;
  do {
    const { records, nextCursor } = await client.call(listFolderFiles, { query: { path, cursor } });
    files.push(...records);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return files;
}

/** Pure: parts that are no valid local names are replaced. */
const toLocalFolder = (path: string): string =>
  path
    .split('/')
    .map(part => toLocalName(part))
    .join('/');

/** Names are unique within each folder. */
export async function findTree(client: Client, folder: string) {
  const path = parseField('--folder', folderPath, folder.normalize('NFC').replace(/\/+$/, ''));
  const files = await listFolder(client, path);
  if (files.length === 0)
    throw new CommandError('refused', `you have no files in the folder ${path}`, {
      try: 'recordproof files list --json',
    });
  for (const serverPath of new Set(files.map(file => file.path ?? ''))) {
    const local = toLocalFolder(serverPath);
    if (local !== serverPath) writeOtherName(serverPath, local);
  }
  const byFolder = Map.groupBy(files, file => toLocalFolder(file.path ?? ''));
  return [...byFolder].flatMap(([below, some]) =>
    nameEach(some).map(({ file, name }) => ({
      fileHash: file.fileHash,
      contentHash: file.contentHash,
      givenName: file.fileName,
      source: ownFile(file.fileHash),
      fileSize: file.fileSize,
      below,
      name,
    })),
  );
}
