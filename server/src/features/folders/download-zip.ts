// A folder, or chosen files, as one ZIP: the files unchanged and, on request, their proofs.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { filesBytesHeader, mostZippedBytes } from '@recordproof/shared/api/folders.ts';
import { lastPart, rebase } from '@recordproof/shared/file-path.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { isolationHeaders } from '../../platform/http/page-headers.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import { openPrefetched } from '../../platform/prefetched-stream.ts';
import type { Server } from '../../platform/server.ts';
import { planZip } from '../../platform/zip-stream.ts';
import { contentSuiteForReading } from '../crypto-policy/index.ts';
import { openWhole, toAttachment, toZipMembers } from '../downloads/index.ts';
import { toOwner } from '../envelopes/index.ts';
import type { FileRow } from '../files/index.ts';
import { listByHash, listContents } from './queries.ts';

/** The header of the first file and its first bytes: a ZIP of which nothing can be read is an error answer. */
const begun = { count: 2, highWaterMark: 64 * 1024 };

/** Of one folder: its list is held while the ZIP is sent. */
const mostFilesOfFolder = 100_000;

type FolderZip = { readonly path: string; readonly proofs: boolean };

export async function downloadFolder(
  server: Server,
  request: Request,
  { path, proofs }: FolderZip,
): Promise<PlainAnswer> {
  const files = await listContents(server.database.db, ownerOf(request.actor), path, mostFilesOfFolder + 1);
  if (files.length === 0) throw new ApiError('RESULT_DATA_NONE', 'there is no file in this folder');
  if (files.length > mostFilesOfFolder)
    throw new ApiError('UNPROCESSABLE', `a ZIP holds at most ${mostFilesOfFolder} files; download the folders in it`);
  const top = lastPart(path);
  const toPath = (file: FileRow) => (path === '' ? file.path : rebase(file.path ?? '', path, top));
  return answerZip(server, request, { name: `${top || 'files'}.zip`, files, toPath, proofs });
}

type FilesZip = { readonly fileHash: readonly string[]; readonly proofs: boolean };

export async function downloadFiles(
  server: Server,
  request: Request,
  { fileHash, proofs }: FilesZip,
): Promise<PlainAnswer> {
  const hashes = [...new Set(fileHash)];
  const files = await listByHash(server.database.db, ownerOf(request.actor), hashes);
  const missing = hashes.length - files.length;
  if (missing > 0)
    throw new ApiError('FILE_NOT_EXIST', `${missing} of ${hashes.length} files do not exist; nothing was sent`);
  if (sumBytes(files) > mostZippedBytes)
    throw new ApiError('UNPROCESSABLE', `a ZIP holds at most ${mostZippedBytes} bytes; download fewer files at once`);
  return answerZip(server, request, { name: 'files.zip', files, toPath: file => file.path, proofs });
}

const sumBytes = (files: readonly FileRow[]): number => files.reduce((sum, file) => sum + file.file_size, 0);

type Zip = {
  readonly name: string;
  readonly files: readonly FileRow[];
  readonly toPath: (file: FileRow) => string | null;
  readonly proofs: boolean;
};

async function answerZip(server: Server, request: Request, { name, files, toPath, proofs }: Zip): Promise<PlainAnswer> {
  for (const file of files) contentSuiteForReading(server, file.encryption); // a ZIP that has begun can only break off
  const open = (file: FileRow) => openWhole(server, request, { file, recipient: toOwner(file) });
  const zip = planZip(toZipMembers(server, { files, toPath, open, proofs }));
  const headers = {
    'content-type': 'application/zip',
    [filesBytesHeader]: sumBytes(files),
    ...(zip.size !== null && { 'content-length': zip.size }),
    'content-disposition': toAttachment(name),
    'cache-control': 'private, no-store',
    ...isolationHeaders,
  };
  return { headers, body: request.method === 'HEAD' ? null : await openPrefetched(zip.read(), begun) };
}
