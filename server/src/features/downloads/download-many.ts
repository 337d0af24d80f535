// Download of many small files in one call: each is read and verified completely before its first byte is sent, so that
// a damaged or missing file fails alone.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { mostDownloadManyBytes, mostDownloadManyFileBytes } from '@recordproof/shared/api/files.ts';
import type { Call } from '../../platform/call.ts';
import { toBulkAnswer } from '../../platform/http/bulk-answer.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import { toOwner } from '../envelopes/index.ts';
import { type FileRow, listOwnFiles } from '../files/index.ts';
import { type Delivering, openWhole } from './download.ts';

export async function downloadMany(
  server: Delivering,
  call: Call & Pick<Request, 'noteFailure'>,
  { fileHashes }: { readonly fileHashes: readonly string[] },
): Promise<PlainAnswer> {
  const own = await listOwnFiles(server.database.db, call.actor, fileHashes);
  const files = new Map(own.map(row => [row.file_hash, row]));
  const bytes = fileHashes.reduce((sum, hash) => sum + (files.get(hash)?.file_size ?? 0), 0);
  if (bytes > mostDownloadManyBytes)
    throw new ApiError('PARAM_IS_INVALID', `fileHashes: at most ${mostDownloadManyBytes} bytes in one call`);
  return toBulkAnswer(call, fileHashes, hash => readOne(server, call, files.get(hash)));
}

async function readOne(server: Delivering, call: Call, file: FileRow | undefined): Promise<Uint8Array> {
  if (file === undefined) throw new ApiError('FILE_NOT_EXIST');
  if (file.file_size > mostDownloadManyFileBytes)
    throw new ApiError(
      'FILE_MAX_SIZE_OVERFLOW',
      `this file exceeds ${mostDownloadManyFileBytes} bytes, the limit per file of a combined download; download it alone`,
    );
  const blocks = await Array.fromAsync(await openWhole(server, call, { file, recipient: toOwner(file) }));
  return Buffer.concat(blocks as Buffer[]);
}
