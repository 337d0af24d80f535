// A small server that keeps the contract of files and uploads over real HTTP, strict about lengths, hashes and
// signatures, with faults that a test can order. It encrypts nothing and proves nothing; the real server does.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as files from '@recordproof/shared/api/files.ts';
import * as uploads from '@recordproof/shared/api/uploads.ts';
import { z } from 'zod';

type Part = { readonly size: number; readonly hash: string; readonly path: string };

type Session = {
  clientId: string;
  status: uploads.UploadStatus;
  direct: boolean;
  plan: { fileName: string; fileSize: number; chunkSize: number; totalChunks: number; contentType: string };
  targetFileId: string | undefined;
  contentHash: string | undefined;
  announced: Map<number, { size: number; hash: string }>;
  stored: Map<number, Part>;
  result?: uploads.UploadResult;
};

type Stored = { view: files.File; parts: Part[]; manifest: string };

/** What happens to a request instead of, or besides, what it asks for. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** The answer is lost, but what was asked for was done. */
  | { readonly kind: 'lost-answer' }
  /** A download of which one byte is other than it was. */
  | { readonly kind: 'flip'; readonly at: number };

export type TransferServer = AsyncDisposable & {
  readonly url: string;
  readonly token: string;
  /** `PUT part 3`, `completeDirectUpload`, …, in the order of arrival. */
  readonly calls: string[];
  readonly sessions: Map<string, Session>;
  readonly files: Map<string, Stored>;
  /** Asked for every request. */
  fault: (call: string, count: number) => Fault | undefined;
  /** Addresses signed before now stop working. */
  expireAddresses(): void;
};

const signedSeconds = 3600;

async function storeBody(request: IncomingMessage, path: string): Promise<Part> {
  const file = createWriteStream(path);
  const hash = createHash('sha256');
  let size = 0;
  for await (const block of request as AsyncIterable<Buffer>) {
    hash.update(block);
    size += block.length;
    if (!file.write(block)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  return { size, hash: `sha256:${hash.digest('hex')}`, path };
}

const hex = (input: string): string => createHash('sha256').update(input).digest('hex');

async function wholeHash(parts: readonly Part[]): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) for await (const block of createReadStream(part.path)) hash.update(block as Buffer);
  return `sha256:${hash.digest('hex')}`;
}

/** Canonical JSON, as far as these manifests need it: members in order, no spaces. */
function toManifest(fileHash: string, chunkSize: number, totalSize: number, parts: readonly Part[]) {
  const chunks = parts.map(({ size, hash }, index) => ({
    checksumAlgorithm: 'SHA-256',
    cipherHash: hash,
    index,
    plainHash: hash,
    size,
    storageBackend: 'DISK',
    storagePath: `objects/${hash.slice(7)}`,
  }));
  const head = { chunkSize, chunks, encryptionAlgorithm: 'NONE', fileHash, hashAlgorithm: 'SHA-256' };
  const tail = { schema: uploads.manifestSchemaId, storageBackend: 'DISK', totalSize };
  const manifestHash = `sha256:${hex(JSON.stringify({ ...head, ...tail }))}`;
  return { manifestHash, json: JSON.stringify({ ...head, manifestHash, ...tail }) };
}

type Request = {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  raw: IncomingMessage;
  fault: Fault | undefined;
};
type Handler = (request: Request) => unknown;

export async function openTransferServer(): Promise<TransferServer> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-transfer-'));
  const secret = randomBytes(32);
  const counts = new Map<string, number>();
  let era = 0;
  let lastId = 0;
  const http = createServer({ highWaterMark: 1024 * 1024 }, (request, response) => void serve(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const server: TransferServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    token: 'token-of-the-test',
    calls: [],
    sessions: new Map(),
    files: new Map(),
    fault: () => undefined,
    expireAddresses() {
      era += 1;
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await rm(folder, { recursive: true, force: true });
    },
  };

  const sign = (path: string): string => createHmac('sha256', secret).update(`PUT ${path} ${era}`).digest('hex');
  const partPath = (session: Session, index: number): string => join(folder, `${session.clientId}-${index}`);

  function getSession(clientId: string): Session {
    const session = server.sessions.get(clientId);
    if (!session) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
    return session;
  }

  function assertOpen(session: Session): void {
    if (session.status !== 'UPLOADING') throw new ApiError('CONFLICT', `the upload is ${session.status}`);
  }

  function start(body: z.output<typeof uploads.createUploadSession.body & object>, direct: boolean): Session {
    const { fileName, fileSize, contentType, targetFileId, contentHash } = body;
    const chunkSize = body.chunkSize ?? uploads.recommendChunkSize(fileSize);
    const plan = { fileName, fileSize, chunkSize, contentType, totalChunks: uploads.countChunks(fileSize, chunkSize) };
    if (body.totalChunks !== undefined && body.totalChunks !== plan.totalChunks) throw new ApiError('PARAM_IS_INVALID');
    const clientId = body.clientId ?? crypto.randomUUID();
    const known = server.sessions.get(clientId);
    if (known) {
      const isSame = JSON.stringify([known.plan, known.targetFileId, known.contentHash]);
      if (isSame !== JSON.stringify([plan, targetFileId, contentHash])) throw new ApiError('CONFLICT', 'another plan');
      assertOpen(known);
      return known;
    }
    const session: Session = {
      clientId, direct, plan, targetFileId, contentHash,
      status: 'UPLOADING', announced: new Map(), stored: new Map(),
    }; // biome-ignore format: two lines
    server.sessions.set(clientId, session);
    return session;
  }

  function announce(session: Session, index: number, size: number, hash: string): void {
    const { fileSize, chunkSize, totalChunks } = session.plan;
    if (index >= totalChunks || size !== uploads.chunkLength(fileSize, chunkSize, index))
      throw new ApiError('PARAM_IS_INVALID', `part ${index} does not fit the plan`);
    const before = session.announced.get(index);
    if (before && before.hash !== hash) throw new ApiError('CONFLICT', `part ${index} was announced with another hash`);
    session.announced.set(index, { size, hash });
  }

  function toSigned(session: Session, index: number) {
    const { size, hash } = session.announced.get(index) ?? { size: 0, hash: '' };
    const path = `/store/${session.clientId}/${index}?length=${size}`;
    return {
      index, size, uploadUrl: `${server.url}${path}&signature=${sign(path)}`, headers: { 'x-of-signature': 'yes' },
      expiresAtEpochSeconds: Math.floor(Date.now() / 1000) + signedSeconds, storagePath: `staging/${index}`,
      plainHash: hash, cipherHash: hash, uploaded: session.stored.has(index),
    }; // biome-ignore format: four lines
  }

  async function complete(session: Session): Promise<uploads.UploadResult> {
    if (session.result) return session.result;
    assertOpen(session);
    const { totalChunks, chunkSize, fileSize, fileName, contentType } = session.plan;
    const parts = Array.from({ length: totalChunks }, (_none, index) => session.stored.get(index));
    if (!parts.every(part => part !== undefined)) throw new ApiError('CONFLICT', 'parts are missing');
    if (session.direct && parts.some((part, index) => part.hash !== session.announced.get(index)?.hash)) {
      session.status = 'FAILED';
      throw new ApiError('FILE_UPLOAD_ERROR', 'a part has other bytes than were announced');
    }
    const contentHash = await wholeHash(parts);
    if (session.contentHash !== undefined && session.contentHash !== contentHash) {
      session.status = 'FAILED';
      throw new ApiError('FILE_UPLOAD_ERROR', 'the file has another hash than was declared');
    }
    const target = [...server.files.values()].find(({ view }) => view.id === session.targetFileId);
    if (session.targetFileId !== undefined && !target) throw new ApiError('VERSION_SOURCE_INVALID');
    if (target) target.view = { ...target.view, isLatest: false };
    lastId += 1;
    const id = String(lastId);
    const fileHash = hex(`record ${id}`);
    const { manifestHash, json } = toManifest(fileHash, chunkSize, fileSize, parts);
    const version = (target?.view.version ?? 0) + 1;
    const transactionHash = `0x${hex(fileHash)}`;
    const view: files.File = {
      id, fileName, fileHash, contentHash, fileSize, contentType, status: 1, version, isLatest: true,
      versionGroupId: target?.view.versionGroupId ?? id, parentVersionId: target?.view.id ?? null, transactionHash,
      manifestHash, proofStatus: 'NONE', ownerName: 'alice', createdAt: new Date().toISOString(),
      originOwnerName: null, sharedFromUserName: null,
    }; // biome-ignore format: a few lines
    server.files.set(fileHash, { view, parts, manifest: json });
    session.status = 'COMPLETED';
    session.result = {
      clientId: session.clientId, fileId: id, fileHash, contentHash, transactionHash, manifestHash, version,
      status: 'SUCCESS',
    }; // biome-ignore format: two lines
    return session.result;
  }

  const getStored = (hash: string | undefined): Stored => {
    const stored = server.files.get(hash ?? '');
    if (!stored) throw new ApiError('FILE_NOT_EXIST');
    return stored;
  };

  const page = (records: files.File[]) => ({ records, total: records.length, current: 1, size: 100, pages: 1 });
  const latest = (): files.File[] => [...server.files.values()].map(({ view }) => view).filter(view => view.isLatest);
  const move =
    (from: readonly string[], to: uploads.UploadStatus): Handler =>
    ({ body }) => {
      const session = getSession((body as { clientId: string }).clientId);
      if (!from.includes(session.status)) throw new ApiError('CONFLICT', `the upload is ${session.status}`);
      session.status = to;
      return { clientId: session.clientId, status: to };
    };
  const started = (session: Session, resumed: boolean) => ({
    clientId: session.clientId, chunkSize: session.plan.chunkSize, totalChunks: session.plan.totalChunks,
    singleChunk: session.plan.totalChunks === 1, uploadedChunks: [...session.stored.keys()], resumed,
  }); // biome-ignore format: two lines

  const handlers: [AnyEndpoint, Handler][] = [
    [uploads.startDirectUpload, ({ body }) => {
      const plan = body as z.output<typeof uploads.startDirectUpload.body & object>;
      const resumed = server.sessions.has(plan.clientId ?? '');
      const session = start(plan, true);
      for (const part of plan.parts) announce(session, part.index, part.size, part.plainHash);
      const { clientId, plan: { chunkSize, totalChunks } } = session;
      const parts = plan.parts.map(({ index }) => toSigned(session, index));
      return { clientId, chunkSize, totalChunks, resumed, manifestSchemaId: uploads.manifestSchemaId, parts };
    }],
    [uploads.completeDirectUpload, ({ params, body }) => {
      const { parts } = body as { parts: { index: number; eTag: string }[] };
      const session = getSession(params.clientId ?? '');
      for (const { index, eTag } of parts) {
        if (session.stored.get(index)?.hash.slice(7, 39) !== eTag.replaceAll('"', ''))
          throw new ApiError('PARAM_IS_INVALID', `part ${index} has another ETag`);
      }
      return complete(session);
    }],
    [uploads.abortDirectUpload, ({ params }) => {
      getSession(params.clientId ?? '').status = 'CANCELLED';
      return null;
    }],
    [uploads.createUploadSession, ({ body }) => {
      const plan = body as z.output<typeof uploads.createUploadSession.body & object>;
      const resumed = server.sessions.has(plan.clientId ?? '');
      return started(start(plan, false), resumed);
    }],
    [uploads.uploadPart, async ({ params, raw }) => {
      const session = getSession(params.clientId ?? '');
      assertOpen(session);
      await storePart(session, Number(params.index), raw);
      const uploadedChunkCount = session.stored.size;
      const { totalChunks } = session.plan;
      return { clientId: session.clientId, chunkNumber: Number(params.index), uploadedChunkCount, totalChunks };
    }],
    [uploads.completeUploadSession, ({ params }) => complete(getSession(params.clientId ?? ''))],
    [uploads.pauseUpload, move(['UPLOADING'], 'PAUSED')],
    [uploads.resumeUpload, move(['PAUSED'], 'UPLOADING')],
    [uploads.cancelUpload, move(['UPLOADING', 'PAUSED'], 'CANCELLED')],
    [uploads.checkUpload, ({ query }) => {
      const { clientId, status, plan, stored } = getSession(query.clientId ?? '');
      const { fileName, fileSize, totalChunks } = plan;
      const progress = (100 * stored.size) / totalChunks;
      return { clientId, fileName, fileSize, status, paused: status === 'PAUSED', progress, uploadedChunks: [...stored.keys()], totalChunks };
    }],
    [uploads.listUploads, () => [...server.sessions.values()].filter(({ result, status }) => !result && status !== 'CANCELLED').map(({ clientId, plan, status, direct, stored }) => ({
      clientId, fileName: plan.fileName, fileSize: plan.fileSize, status, direct, uploadedChunkCount: stored.size,
      totalChunks: plan.totalChunks, createdAt: '2026-01-31T12:00:00.000Z', expiresAt: '2026-02-02T12:00:00.000Z',
    }))],
    [files.listFiles, () => page(latest())],
    [files.searchFiles, ({ query }) => page(latest().filter(view => view.fileName.includes(query.keyword ?? '') || view.contentHash === `sha256:${query.keyword}`))],
    [files.fileStats, () => ({ totalFiles: server.files.size, totalStorage: 1, sharedFiles: 0, todayUploads: 1 })],
    [files.fileQuota, () => {
      const allowance = { usedBytes: 1024, maxBytes: 4096, usedFiles: 1, maxFiles: 4 };
      return { mode: 'ENFORCE', user: allowance, tenant: allowance };
    }],
    [files.listVersions, ({ params }) => {
      const group = [...server.files.values()].find(({ view }) => view.id === params.id)?.view.versionGroupId;
      return [...server.files.values()].map(({ view }) => view).filter(view => view.versionGroupId === group).reverse();
    }],
    [files.downloadMetadata, ({ params }) => ({
      canonicalManifestJson: getStored(params.fileHash).manifest, manifestStatus: 'ACTIVE',
      manifestClassification: 'ALREADY_MANIFEST', manifestErrorCode: null, legacyDownloadAllowed: false,
    })],
    [files.getFile, ({ params }) => getStored(params.hash).view],
    [files.deleteFile, ({ params }) => {
      getStored(params.hash);
      server.files.delete(params.hash ?? '');
      return null;
    }],
  ]; // biome-ignore format: a table

  async function storePart(session: Session, index: number, raw: IncomingMessage): Promise<Part> {
    const expected = uploads.chunkLength(session.plan.fileSize, session.plan.chunkSize, index);
    if (Number(raw.headers['content-length']) !== expected) throw new ApiError('PARAM_IS_INVALID', 'wrong length');
    const part = await storeBody(raw, `${partPath(session, index)}-${crypto.randomUUID()}`);
    if (part.size !== expected) throw new ApiError('PARAM_IS_INVALID', 'wrong length');
    session.stored.set(index, part);
    return part;
  }

  async function put(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, path = '', clientId = '', index = ''] =
      /^(\/store\/([^/]+)\/(\d+)\?length=\d+)&/.exec(request.url ?? '') ?? [];
    const given = Buffer.from(new URL(request.url ?? '', server.url).searchParams.get('signature') ?? '');
    const wanted = Buffer.from(sign(path));
    const isSigned = given.length === wanted.length && timingSafeEqual(given, wanted);
    if (!isSigned || request.headers['x-of-signature'] !== 'yes') return void response.writeHead(403).end();
    const part = await storePart(getSession(clientId), Number(index), request);
    response.writeHead(200, { etag: `"${part.hash.slice(7, 39)}"` }).end();
  }

  async function download(request: IncomingMessage, response: ServerResponse, hash: string, fault: Fault | undefined) {
    const { view, parts } = getStored(hash);
    const [, from = '0'] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? [];
    const start = Number(from);
    const range = { 'content-range': `bytes ${start}-${view.fileSize - 1}/${view.fileSize}` };
    response.writeHead(start > 0 ? 206 : 200, {
      etag: `"${view.contentHash}"`, 'content-length': view.fileSize - start, ...(start > 0 && range),
    }); // biome-ignore format: two lines
    let position = 0;
    let sent = 0;
    for (const part of parts) {
      const skip = Math.max(0, start - position);
      position += part.size;
      if (skip >= part.size) continue;
      for await (const block of createReadStream(part.path, { start: skip, highWaterMark: 1024 * 1024 })) {
        const bytes = block as Buffer;
        if (fault?.kind === 'flip' && fault.at >= start + sent && fault.at < start + sent + bytes.length) {
          const at = fault.at - start - sent;
          bytes[at] = (bytes[at] ?? 0) ^ 1;
        }
        sent += bytes.length;
        if (fault?.kind === 'reset' && sent > fault.afterBytes) return void response.destroy();
        if (!response.write(bytes)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
    }
    response.end();
  }

  function breakOff(request: IncomingMessage, afterBytes: number): void {
    let seen = 0;
    if (afterBytes === 0) request.destroy();
    request.on('data', (block: Buffer) => {
      seen += block.length;
      if (seen > afterBytes) request.destroy();
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => undefined);
    try {
      await answer(request, response);
    } catch (error) {
      if (response.headersSent || request.destroyed) return void response.destroy();
      const known = error instanceof ApiError ? error : new ApiError('INTERNAL', String(error));
      const retry = known.retryAfterSeconds === undefined ? {} : { 'retry-after': String(known.retryAfterSeconds) };
      request.resume();
      response.writeHead(known.status, { 'content-type': 'application/json', ...retry });
      response.end(JSON.stringify({ code: known.code, message: known.message, data: null }));
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', server.url);
    const isStore = url.pathname.startsWith('/store/');
    const found = isStore ? undefined : find(request.method ?? '', url.pathname);
    const download_ = /^\/api\/v1\/files\/([0-9a-f]{64})\/download$/.exec(url.pathname)?.[1];
    const partIndex = found?.endpoint === uploads.uploadPart ? found.params.index : url.pathname.split('/').at(-1);
    const isPart = isStore || found?.endpoint === uploads.uploadPart;
    const call = isPart ? `PUT part ${partIndex}` : download_ ? 'downloadFile' : (found?.endpoint.name ?? url.pathname);
    const count = (counts.get(call) ?? 0) + 1;
    counts.set(call, count);
    server.calls.push(call);
    const fault = server.fault(call, count);
    if (fault?.kind === 'status') {
      const extras = fault.retryAfter === undefined ? {} : { retryAfterSeconds: fault.retryAfter };
      if (isStore)
        return void response
          .writeHead(fault.status, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter })
          .end();
      throw new ApiError(fault.status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE', 'as the test wishes', extras);
    }
    if (fault?.kind === 'reset' && !download_) return breakOff(request, fault.afterBytes);
    if (isStore) return put(request, response);
    if (request.headers.authorization !== `Bearer ${server.token}`) throw new ApiError('PERMISSION_TOKEN_INVALID');
    if (download_) return download(request, response, download_, fault);
    if (!found) throw new ApiError('NOT_FOUND', `no ${url.pathname}`);
    const body = await readBody(request, found.endpoint);
    const data = await found.handle({
      params: found.params,
      query: Object.fromEntries(url.searchParams),
      body,
      raw: request,
      fault,
    });
    if (fault?.kind === 'lost-answer') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 200, message: 'ok', data: (found.endpoint.answer ?? z.null()).parse(data) }));
  }

  function find(method: string, path: string) {
    for (const [endpoint, handle] of handlers) {
      const pattern = new RegExp(`^${endpoint.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      const match = endpoint.method === method ? pattern.exec(path) : null;
      if (match) return { endpoint, handle, params: { ...match.groups } as Record<string, string> };
    }
    return undefined;
  }

  return server;
}

async function readBody(request: IncomingMessage, endpoint: AnyEndpoint): Promise<unknown> {
  if (!endpoint.body || endpoint.bodyForms.includes('bytes')) return undefined;
  const raw = await text(request);
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const parsed = endpoint.body.safeParse(isForm ? Object.fromEntries(new URLSearchParams(raw)) : JSON.parse(raw));
  if (!parsed.success) throw new ApiError('PARAM_IS_INVALID', z.prettifyError(parsed.error));
  return parsed.data;
}
