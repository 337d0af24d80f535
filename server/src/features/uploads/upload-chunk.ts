// A chunk in a form. Where the fields stand before the bytes, the bytes stream straight on; where the bytes come first,
// they wait in a spool until the fields say what they are.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { uploadChunk as contract } from '@recordproof/shared/api/uploads.ts';
import { type FilePart, parseBoundary, readMultipart } from '@recordproof/shared/node/multipart.ts';
import type { z } from 'zod';
import { parseInput } from '../../platform/http/parse.ts';
import type { Request } from '../../platform/http/route.ts';
import type { UploadPorts } from './ports.ts';
import { bindClientKey, findUpload, findUploadByClientKey, type UploadRow } from './queries.ts';
import { receiveChunk } from './receive-chunk.ts';
import { Spool } from './spool.ts';
import { ownerOf } from './start-upload.ts';
import { toChunkReceipt } from './views.ts';

const fieldsForm = (contract.body as NonNullable<typeof contract.body>).omit({ chunk: true });
type Fields = z.output<typeof fieldsForm>;

async function getSession({ database }: UploadPorts, request: Request, fields: Fields): Promise<UploadRow> {
  const { db } = database;
  const owner = ownerOf(request.actor);
  const { clientId, fileHash: clientKey, totalChunks } = fields;
  if (clientId === undefined && !clientKey) throw new ApiError('PARAM_NOT_COMPLETE', 'clientId is missing');
  const upload =
    clientId !== undefined
      ? await findUpload(db, owner, clientId)
      : ((await findUploadByClientKey(db, owner, clientKey ?? '')) ??
        (await bindClientKey(db, owner, clientKey ?? '', totalChunks)));
  if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  if (upload.total_chunks !== totalChunks) {
    throw new ApiError('PARAM_IS_INVALID', `totalChunks: this upload has ${upload.total_chunks} chunks`);
  }
  return upload;
}

const isWhole = (fields: Readonly<Record<string, string>>): boolean =>
  fields.chunkNumber !== undefined &&
  fields.totalChunks !== undefined &&
  (fields.clientId ?? fields.fileHash) !== undefined;

export async function uploadChunk(ports: UploadPorts, request: Request) {
  const fields: Record<string, string> = {};
  await using spools = new AsyncDisposableStack();
  let receipt: ReturnType<typeof toChunkReceipt> | undefined;
  let spool: Spool | undefined;

  const receive = async (source: AsyncIterable<Uint8Array>) => {
    const parsed = parseInput(fieldsForm, fields, 'body');
    const upload = await getSession(ports, request, parsed);
    const received = await receiveChunk(ports, upload, parsed.chunkNumber, source, {
      signal: request.signal,
      ownsBlocks: false,
    });
    receipt = toChunkReceipt(upload, parsed.chunkNumber, received);
  };
  const take = async (part: FilePart) => {
    if (isWhole(fields)) return receive(part.body);
    spool = spools.use(await Spool.open(ports.spoolFolder));
    await spool.fill(part.body, ports.limits.maxChunkBytes);
  };

  let isTaken = false;
  for await (const part of readMultipart(request.stream, parseBoundary(request.headers['content-type']))) {
    if (part.kind === 'field') fields[part.name] = part.value;
    else if (part.name === 'chunk' && !isTaken) {
      isTaken = true;
      await take(part);
    }
  }
  if (!isTaken) throw new ApiError('PARAM_NOT_COMPLETE', 'chunk is missing');
  if (spool) await receive(spool.read(0, spool.size));
  if (!receipt) throw new Error('a chunk was taken and not received');
  return receipt;
}
