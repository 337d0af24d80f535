// Many files in one call, as the small server of transfer-server.ts accepts them: the same requestId gets the same
// answer.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type BulkManifest, type BulkResult, bulkManifest } from '@recordproof/shared/api/short-uploads.ts';
import { type FormPart, parseBoundary, readMultipart } from '@recordproof/shared/node/multipart.ts';
import { completeSession, type State, startSession } from './transfer-state.ts';

const limits = { maxFieldBytes: 2 * 1024 * 1024, maxParts: 501 };

type Bulk = { readonly folder: string; readonly answers: Map<string, BulkResult[]> };

async function readBytes(part: FormPart | undefined): Promise<Buffer> {
  if (part?.kind !== 'file') throw new ApiError('PARAM_NOT_COMPLETE', 'a file is missing');
  return Buffer.concat(await Array.fromAsync(part.body));
}

export async function storeMany(state: State, { folder, answers }: Bulk, request: IncomingMessage) {
  const parts = readMultipart(request, parseBoundary(request.headers['content-type']), limits);
  const { value: first } = await parts.next();
  if (first?.kind !== 'field') throw new ApiError('PARAM_NOT_COMPLETE', 'the manifest is missing');
  const { requestId, files } = bulkManifest.parse(JSON.parse(first.value));
  const known = answers.get(requestId);
  const results: BulkResult[] = known ?? [];
  for (const file of files) {
    const bytes = await readBytes((await parts.next()).value);
    if (!known) results.push(await storeOne(state, folder, file, bytes));
  }
  answers.set(requestId, results);
  return { results };
}

async function storeOne(
  state: State,
  folder: string,
  file: BulkManifest['files'][number],
  bytes: Buffer,
): Promise<BulkResult> {
  const { fileName, fileSize, contentType = 'application/octet-stream', contentHash, path: given } = file;
  const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (bytes.length !== fileSize || (contentHash ?? hash) !== hash)
    return { status: 'REFUSED', code: new ApiError('DATA_IS_WRONG').code, message: 'other bytes than were named' };
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, bytes);
  const plan = { fileName, fileSize, contentType, chunkSize: fileSize, totalChunks: 1, ...(given && { path: given }) };
  const session = startSession(state, plan, false);
  session.stored.set(0, { size: fileSize, hash, path });
  const { clientId: _, ...stored } = await completeSession(state, session);
  return { ...stored, status: 'STORED' };
}
