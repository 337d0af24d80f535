// Chunk uploads as a form. If the fields come before the bytes, the bytes are streamed; otherwise they wait in a spool
// until the fields are known.

import { uploadChunk as contract } from '@recordproof/shared/api/chunked-uploads.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type FilePart, parseBoundary, readMultipart } from '@recordproof/shared/node/multipart.ts';
import type { z } from 'zod';
import { Spool } from '../../platform/content/spool.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { parseInput } from '../../platform/http/parse.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { findByClientKey, findUpload, type UploadRow } from '../upload-sessions/index.ts';
import { receiveChunk } from './receive-chunk.ts';
import { toChunkReceipt } from './views.ts';

const fieldsForm = (contract.body as NonNullable<typeof contract.body>).omit({ chunk: true });
type Fields = z.output<typeof fieldsForm>;

async function getSession(server: Server, request: Request, fields: Fields): Promise<UploadRow> {
  const { db } = server.database;
  const owner = ownerOf(request.actor);
  const { clientId, fileHash: clientKey, totalChunks } = fields;
  if (clientId === undefined && !clientKey) throw new ApiError('PARAM_NOT_COMPLETE', 'clientId is missing');
  const upload =
    clientId !== undefined
      ? await findUpload(db, owner, clientId)
      : await findByClientKey(server, owner, clientKey ?? '', fields);
  if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  if (upload.total_chunks !== totalChunks) {
    throw new ApiError('PARAM_IS_INVALID', `totalChunks: this upload has ${upload.total_chunks} chunks`);
  }
  await request.narrow({ uploads: [upload.client_id] });
  return upload;
}

const isWhole = (fields: Readonly<Record<string, string>>): boolean =>
  fields.chunkNumber !== undefined &&
  fields.totalChunks !== undefined &&
  (fields.clientId ?? fields.fileHash) !== undefined;

export async function uploadChunk(server: Server, request: Request) {
  const fields: Record<string, string> = {};
  await using spools = new AsyncDisposableStack();
  let receipt: ReturnType<typeof toChunkReceipt> | undefined;
  let spool: Spool | undefined;

  const receive = async (source: AsyncIterable<Uint8Array>) => {
    const parsed = parseInput(fieldsForm, fields, 'body');
    const upload = await getSession(server, request, parsed);
    const index = parsed.chunkNumber;
    const incoming = { index, source, signal: request.signal, ownsBlocks: false };
    receipt = toChunkReceipt(upload, index, await receiveChunk(server, upload, incoming));
  };
  const take = async (part: FilePart) => {
    if (isWhole(fields)) return receive(part.body);
    spool = spools.use(Spool.open(server));
    await spool.fill(part.body, server.config.uploads.maxChunkBytes);
  };

  let isTaken = false;
  for await (const part of readMultipart(request.stream, parseBoundary(request.headers['content-type']))) {
    if (part.kind === 'field') fields[part.name] = part.value;
    else if (part.name === 'chunk') {
      if (isTaken) throw new ApiError('PARAM_ERROR', 'the form has more than one chunk; send one after the other');
      isTaken = true;
      await take(part);
    }
  }
  if (!isTaken) throw new ApiError('PARAM_NOT_COMPLETE', 'chunk is missing');
  if (spool) await receive(spool.read(0, spool.size));
  if (!receipt)
    throw new Error(`chunk ${fields.chunkNumber} of upload ${fields.clientId} was read, but has no receipt`);
  return receipt;
}
