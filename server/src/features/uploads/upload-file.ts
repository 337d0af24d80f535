// A file in one request. Its length is known only at its end, so it waits in a spool and then goes the way of every
// upload in chunks; whatever stops it on the way leaves nothing behind.
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { recordId } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  contentHash as contentHashForm,
  contentType as contentTypeForm,
  fileName as fileNameForm,
  folderPath,
} from '@recordproof/shared/api/files.ts';
import { countChunks, recommendChunkSize, type UploadResult } from '@recordproof/shared/api/uploads.ts';
import { type FilePart, parseBoundary, readMultipart } from '@recordproof/shared/node/multipart.ts';
import { z } from 'zod';
import type { Call } from '../../platform/call.ts';
import { parseInput } from '../../platform/http/parse.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { isShort, storeShort } from '../short-uploads/index.ts';
import { completeUpload } from './complete-upload.ts';
import { controlUpload } from './control-upload.ts';
import { checkPlan } from './policy.ts';
import { findUpload, getUploadById, type UploadRow } from './queries.ts';
import { receiveChunk } from './receive-chunk.ts';
import { claimClientId, parseIdempotencyKey } from './repeatable-upload.ts';
import { Spool } from './spool.ts';
import { checkStart, ownerOf, type StartRequest, startUpload } from './start-upload.ts';

const fieldsForm = z.object({
  targetFileId: recordId.optional(),
  contentHash: contentHashForm.optional(),
  path: folderPath.optional(),
});

const nameForm = z.object({ fileName: fileNameForm });

type Incoming = {
  readonly fields: z.output<typeof fieldsForm>;
  readonly fileName: string;
  readonly contentType: string;
};

/** Browsers and scripts may send a path; the name is what stands behind the last separator. */
const toName = (sent: string): string => sent.split(/[/\\]/).at(-1) ?? '';

async function receiveForm(
  request: Request,
  spool: Spool,
  { maxBytes, hash }: { readonly maxBytes: number; readonly hash: Hash | undefined },
): Promise<Incoming> {
  const fields: Record<string, string> = {};
  let file: Pick<FilePart, 'fileName' | 'contentType'> | undefined;
  for await (const part of readMultipart(request.stream, parseBoundary(request.headers['content-type']))) {
    if (part.kind === 'field') fields[part.name] = part.value;
    else if (part.name === 'file') {
      if (file) throw new ApiError('PARAM_ERROR', 'the form has more than one file; upload one after the other');
      file = { fileName: part.fileName, contentType: part.contentType };
      await spool.fill(part.body, maxBytes, hash);
    }
  }
  if (!file) throw new ApiError('PARAM_NOT_COMPLETE', 'file is missing');
  const type = contentTypeForm.safeParse(file.contentType);
  return {
    fields: parseInput(fieldsForm, fields, 'body'),
    ...parseInput(nameForm, { fileName: toName(file.fileName) }, 'body'),
    contentType: type.success ? type.data : 'application/octet-stream',
  };
}

export async function uploadFile(server: Server, request: Request): Promise<UploadResult> {
  const { maxFileBytes, maxChunkBytes } = server.config.uploads;
  const key = parseIdempotencyKey(request.headers['idempotency-key']);
  const hash = key === null ? undefined : createHash('sha256');
  await using spool = Spool.open(server);
  const form = await receiveForm(request, spool, { maxBytes: maxFileBytes, hash });
  const { size } = spool;
  const chunkSize = Math.min(recommendChunkSize(size), maxChunkBytes);
  const plan = {
    kind: 'proxied',
    fileName: form.fileName,
    fileSize: size,
    contentType: form.contentType,
    chunkSize,
    totalChunks: countChunks(size, chunkSize),
    ...form.fields,
  } as const;
  if (key === null || hash === undefined)
    return isShort(server, size)
      ? await storeAtOnce(server, request, spool, plan)
      : await storeSpooled(server, request, spool, plan);
  const content = { size, sha256: hash.digest('hex'), fileName: form.fileName, ...form.fields };
  const clientId = await claimClientId(server, request.actor, { key, content });
  const { signal } = request;
  const completion = { clientId, kind: 'proxied', signal } as const;
  if (await isDecided(server, request, clientId)) return await completeUpload(server, request, completion);
  try {
    return await storeSpooled(server, request, spool, { ...plan, clientId });
  } catch (error) {
    // The same request came twice at once, and the other one was faster.
    const isLate = error instanceof ApiError && error.kind === 'CONFLICT';
    if (isLate && (await isDecided(server, request, clientId)))
      return await completeUpload(server, request, completion);
    throw error;
  }
}

async function storeAtOnce(server: Server, request: Request, spool: Spool, plan: StartRequest): Promise<UploadResult> {
  const { size } = spool;
  const { fileName, contentType, contentHash, path } = plan;
  checkPlan(plan, server.config.uploads);
  const target = await checkStart(server, request, plan);
  const source = { source: spool.read(0, size), ownsBlocks: true, signal: request.signal };
  const described = { fileName, path, fileSize: size, contentType, contentHash, target };
  return { clientId: randomUUID(), ...(await storeShort(server, request, { ...described, ...source })) };
}

/** All of it has arrived; what comes of it is asked for, not sent again. */
async function isDecided({ database: { db } }: Server, { actor }: Call, clientId: string): Promise<boolean> {
  const known = await findUpload(db, ownerOf(actor), clientId);
  return known !== null && ['FINALIZING', 'COMPLETED', 'FAILED'].includes(known.status);
}

async function storeSpooled(server: Server, request: Request, spool: Spool, plan: StartRequest): Promise<UploadResult> {
  const { signal } = request;
  const { upload } = await startUpload(server, request, plan);
  try {
    if (upload.status === 'UPLOADING') await receiveAll(server, upload, spool, signal);
    return await completeUpload(server, request, { clientId: upload.client_id, kind: 'proxied', signal });
  } catch (error) {
    await giveUp(server, request, upload, { error, mayBeRepeated: plan.clientId !== undefined });
    throw error;
  }
}

async function receiveAll(server: Server, upload: UploadRow, spool: Spool, signal: AbortSignal): Promise<void> {
  for (let index = 0; index < upload.total_chunks; index += 1) {
    const start = index * upload.chunk_size;
    const source = spool.read(start, Math.min(spool.size, start + upload.chunk_size));
    await receiveChunk(server, upload, { index, source, signal, ownsBlocks: true });
  }
}

type Broken = { readonly error: unknown; readonly mayBeRepeated: boolean };

/**
 * Nobody knows this session, so nobody will come back to it, unless the request can be repeated after what may pass. One that
 * is being finished goes on by itself.
 */
async function giveUp(server: Server, call: Call, upload: UploadRow, { error, mayBeRepeated }: Broken): Promise<void> {
  const { id, client_id: clientId } = upload;
  const isRefusal = error instanceof ApiError && error.status < 500;
  try {
    const { status } = await getUploadById(server.database.db, id);
    if (status === 'UPLOADING' && (isRefusal || !mayBeRepeated))
      await controlUpload(server, call, { clientId, wanted: 'CANCELLED' });
    if (status !== 'FINALIZING' || isRefusal) return;
  } catch (cause) {
    const how = mayBeRepeated
      ? 'send it again under the same Idempotency-Key, and the answer tells'
      : 'look at your files before sending it again';
    const message = `it is not known whether the file was stored; ${how}`;
    throw new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: 5 });
  }
  throw new ApiError('SYSTEM_BUSY', 'the file has arrived and will be stored by itself; do not send it again');
}
