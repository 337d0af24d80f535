// File uploads in one request. The length is known only at the end, so the file waits in a spool and is then stored
// through the steps of an upload in chunks; a failure leaves nothing behind.
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { recordId } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  contentHash as contentHashForm,
  contentType as contentTypeForm,
  fileName as fileNameForm,
  folderPath,
} from '@recordproof/shared/api/files.ts';
import { onConflict as onConflictForm, type UploadResult } from '@recordproof/shared/api/uploads.ts';
import { type FilePart, parseBoundary, readMultipart } from '@recordproof/shared/node/multipart.ts';
import { z } from 'zod';
import { Spool } from '../../platform/content/spool.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { parseInput } from '../../platform/http/parse.ts';
import type { Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { isShort, storeShort } from '../short-uploads/index.ts';
import { checkPlan, checkStart, type StartRequest } from '../upload-sessions/index.ts';
import { resolveNameConflict } from '../versions/index.ts';
import { claimClientId, parseIdempotencyKey } from './repeatable-upload.ts';
import { storeSpooled, storeSpooledOnce, toWholePlan } from './store-spooled.ts';

const fieldsForm = z.object({
  targetFileId: recordId.optional(),
  contentHash: contentHashForm.optional(),
  path: folderPath.optional(),
  onConflict: onConflictForm,
});

const nameForm = z.object({ fileName: fileNameForm });

type Incoming = {
  readonly fields: z.output<typeof fieldsForm>;
  readonly fileName: string;
  readonly contentType: string;
};

/** Browsers and scripts may send a path; the name follows the last separator. */
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
  const parsed = parseInput(fieldsForm, fields, 'body');
  const files = parsed.targetFileId === undefined ? [] : [parsed.targetFileId];
  return {
    fields: { ...parsed, path: await request.narrow({ folder: parsed.path, files }) },
    ...parseInput(nameForm, { fileName: toName(file.fileName) }, 'body'),
    contentType: type.success ? type.data : 'application/octet-stream',
  };
}

export async function uploadFile(server: Server, request: Request): Promise<UploadResult> {
  const { maxFileBytes } = server.config.uploads;
  const key = parseIdempotencyKey(request.headers['idempotency-key']);
  const hash = key === null ? undefined : createHash('sha256');
  await using spool = Spool.open(server);
  const form = await receiveForm(request, spool, { maxBytes: maxFileBytes, hash });
  const { size } = spool;
  const { fileName, contentType, fields } = form;
  const plan = { ...toWholePlan({ fileName, fileSize: size, contentType }, server.config.uploads), ...fields };
  if (key === null || hash === undefined) return await storeWhole(server, request, spool, plan);
  const content = { size, sha256: hash.digest('hex'), fileName, ...fields };
  const clientId = await claimClientId(server, request.actor, { key, content });
  return await storeSpooledOnce(server, request, spool, { ...plan, clientId });
}

const storeWhole = (server: Server, request: Request, spool: Spool, plan: StartRequest): Promise<UploadResult> =>
  isShort(server, spool.size) ? storeAtOnce(server, request, spool, plan) : storeSpooled(server, request, spool, plan);

type Written = {
  readonly fileName: string;
  readonly path: string | undefined;
  readonly contentType: string;
  /** Must match the bytes. */
  readonly contentHash?: string;
  /** The file that it continues. */
  readonly targetFileId?: string;
  readonly bytes: AsyncIterable<Uint8Array>;
};

/** Stores a file written by the server itself on behalf of the caller. */
export async function storeWritten(server: Server, request: Request, written: Written): Promise<UploadResult> {
  const { bytes, path, contentHash, targetFileId, ...named } = written;
  await using spool = Spool.open(server);
  await spool.fill(bytes, server.config.uploads.maxFileBytes);
  const plan = toWholePlan({ ...named, fileSize: spool.size }, server.config.uploads);
  return await storeWhole(server, request, spool, { ...plan, path, contentHash, targetFileId });
}

async function storeAtOnce(server: Server, request: Request, spool: Spool, input: StartRequest): Promise<UploadResult> {
  const { size } = spool;
  const plan = await resolveNameConflict(server.database.db, ownerOf(request.actor), input);
  const { fileName, contentType, contentHash, path } = plan;
  checkPlan(plan, server.config.uploads);
  const target = await checkStart(server, request, plan);
  const source = { source: spool.read(0, size), ownsBlocks: true, signal: request.signal };
  const described = { fileName, path, fileSize: size, contentType, contentHash, target };
  return { clientId: randomUUID(), ...(await storeShort(server, request, { ...described, ...source })) };
}
