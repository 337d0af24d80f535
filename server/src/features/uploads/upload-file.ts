// A file in one request. Its length is known only at its end, so it waits in a spool and then goes the way of every
// upload in chunks; whatever stops it on the way leaves nothing behind.

import { recordId } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  contentHash as contentHashForm,
  contentType as contentTypeForm,
  fileName as fileNameForm,
} from '@recordproof/shared/api/files.ts';
import { countChunks, recommendChunkSize, type UploadResult } from '@recordproof/shared/api/uploads.ts';
import { type FilePart, parseBoundary, readMultipart } from '@recordproof/shared/node/multipart.ts';
import { z } from 'zod';
import type { Actor } from '../../platform/http/caller.ts';
import { parseInput } from '../../platform/http/parse.ts';
import type { Request } from '../../platform/http/route.ts';
import { type Origin, originOf } from '../audit/index.ts';
import { completeUpload } from './complete-upload.ts';
import { controlUpload } from './control-upload.ts';
import type { UploadPorts } from './ports.ts';
import { getUploadById, type UploadRow } from './queries.ts';
import { receiveChunk } from './receive-chunk.ts';
import { Spool } from './spool.ts';
import { startUpload } from './start-upload.ts';

const fieldsForm = z.object({ targetFileId: recordId.optional(), contentHash: contentHashForm.optional() });

const nameForm = z.object({ fileName: fileNameForm });

type Incoming = {
  readonly fields: z.output<typeof fieldsForm>;
  readonly fileName: string;
  readonly contentType: string;
};

/** Browsers and scripts may send a path; the name is what stands behind the last separator. */
const toName = (sent: string): string => sent.split(/[/\\]/).at(-1) ?? '';

async function receiveForm(request: Request, spool: Spool, maxBytes: number): Promise<Incoming> {
  const fields: Record<string, string> = {};
  let file: Pick<FilePart, 'fileName' | 'contentType'> | undefined;
  for await (const part of readMultipart(request.stream, parseBoundary(request.headers['content-type']))) {
    if (part.kind === 'field') fields[part.name] = part.value;
    else if (part.name === 'file') {
      if (file) throw new ApiError('PARAM_ERROR', 'the form has more than one file; upload one after the other');
      file = { fileName: part.fileName, contentType: part.contentType };
      await spool.fill(part.body, maxBytes);
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

export async function uploadFile(ports: UploadPorts, request: Request): Promise<UploadResult> {
  await using spool = await Spool.open(ports.spoolFolder);
  const form = await receiveForm(request, spool, ports.limits.maxFileBytes);
  const { actor, signal } = request;
  const origin = originOf(request);
  const chunkSize = Math.min(recommendChunkSize(spool.size), ports.limits.maxChunkBytes);
  const plan = {
    kind: 'proxied',
    fileName: form.fileName,
    fileSize: spool.size,
    contentType: form.contentType,
    chunkSize,
    totalChunks: countChunks(spool.size, chunkSize),
    ...form.fields,
  } as const;
  const { upload } = await startUpload(ports, actor, plan, origin);
  try {
    await receiveAll(ports, upload, spool, signal);
    return await completeUpload(ports, actor, upload.client_id, 'proxied', origin, signal);
  } catch (error) {
    await giveUp(ports, actor, upload, origin);
    throw error;
  }
}

async function receiveAll(ports: UploadPorts, upload: UploadRow, spool: Spool, signal: AbortSignal): Promise<void> {
  for (let index = 0; index < upload.total_chunks; index += 1) {
    const start = index * upload.chunk_size;
    const bytes = spool.read(start, Math.min(spool.size, start + upload.chunk_size));
    await receiveChunk(ports, upload, index, bytes, { signal, ownsBlocks: true });
  }
}

/** Nobody knows this session, so nobody will come back to it. One that is being finished goes on by itself. */
async function giveUp(ports: UploadPorts, actor: Actor, upload: UploadRow, origin: Origin): Promise<void> {
  const { status } = await getUploadById(ports.database.db, upload.id);
  if (status === 'UPLOADING') await controlUpload(ports, actor, upload.client_id, 'CANCELLED', origin);
  if (status === 'FINALIZING')
    throw new ApiError('SYSTEM_BUSY', 'the file has arrived and will be stored by itself; do not send it again');
}
