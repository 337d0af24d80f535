// A small server that implements the contract of files and uploads over real HTTP, strict about lengths, hashes and
// signatures, with faults that a test can order. It encrypts nothing and proves nothing; the real server does.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import { uploadMany } from '@recordproof/shared/api/short-uploads.ts';
import { uploadPart } from '@recordproof/shared/api/upload-sessions.ts';
import { chunkLength } from '@recordproof/shared/api/uploads.ts';
import { z } from 'zod';
import { storeMany } from './transfer-bulk.ts';
import { toEndpoints } from './transfer-endpoints.ts';
import { assertOpen, getSession, getStored, type Part, type Session, type State } from './transfer-state.ts';

/** The effect on a request, instead of or besides its normal handling. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** The request is not carried out, and never answered. */
  | { readonly kind: 'silence' }
  /** The request is carried out, but the answer is lost. */
  | { readonly kind: 'lost-answer' }
  /** The request is carried out, but never answered. */
  | { readonly kind: 'withheld' }
  /** A download that stops after that many bytes. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** A download with one bit flipped. */
  | { readonly kind: 'flip'; readonly at: number };

export type TransferServer = AsyncDisposable &
  State & {
    readonly url: string;
    readonly token: string;
    /** `PUT part 3`, `downloadFile`, `completeDirectUpload`, …, in the order of arrival. */
    readonly calls: string[];
    /** Called for every request; `count` is the number of this call, from 1 on. */
    fault: (call: string, count: number) => Fault | undefined;
    /** Invalidates the addresses signed before now. */
    expireAddresses(): void;
  };

const bulkBytes = 1024 * 1024;

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

async function readBody(request: IncomingMessage, endpoint: AnyEndpoint): Promise<unknown> {
  if (!endpoint.body) return undefined;
  const raw = await text(request);
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const parsed = endpoint.body.safeParse(isForm ? Object.fromEntries(new URLSearchParams(raw)) : JSON.parse(raw));
  if (!parsed.success) throw new ApiError('PARAM_IS_INVALID', z.prettifyError(parsed.error));
  return parsed.data;
}

function breakOff(request: IncomingMessage, afterBytes: number): void {
  let seen = 0;
  if (afterBytes === 0) request.destroy();
  request.on('data', (block: Buffer) => {
    seen += block.length;
    if (seen > afterBytes) request.destroy();
  });
}

/** All bytes of a file from `start` on, with the fault in them. */
async function* readParts(parts: readonly Part[], start: number, fault: Fault | undefined): AsyncIterable<Buffer> {
  let position = 0;
  for (const { size, path } of parts) {
    const from = Math.max(position, start);
    const end = position + size;
    if (from < end) {
      let at = from;
      for await (const block of createReadStream(path, { start: from - position, highWaterMark: bulkBytes })) {
        const bytes = block as Buffer;
        const flipped = fault?.kind === 'flip' ? fault.at - at : -1;
        if (flipped >= 0 && flipped < bytes.length) bytes[flipped] = (bytes[flipped] ?? 0) ^ 1;
        at += bytes.length;
        if (fault?.kind === 'stall' && at - start > fault.afterBytes) await new Promise(() => undefined);
        if (fault?.kind === 'reset' && at - start > fault.afterBytes) throw new Error('broken off');
        yield bytes;
      }
    }
    position = end;
  }
}

const patternOf = (endpoint: AnyEndpoint): RegExp =>
  new RegExp(`^${endpoint.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent || request.socket.destroyed) return void response.destroy();
  const known = error instanceof ApiError ? error : new ApiError('INTERNAL', String(error));
  const retry = known.retryAfterSeconds === undefined ? {} : { 'retry-after': String(known.retryAfterSeconds) };
  request.resume();
  response.writeHead(known.status, { 'content-type': 'application/json', ...retry });
  response.end(JSON.stringify({ code: known.code, message: known.message, data: null }));
}

const orderedKinds: Readonly<Record<number, ErrorKind>> = { 401: 'UNAUTHORIZED', 409: 'CONFLICT', 429: 'RATE_LIMITED' };

function orderedError(fault: { status: number; retryAfter?: number }): ApiError {
  const kind = orderedKinds[fault.status] ?? 'UNAVAILABLE';
  return new ApiError(
    kind,
    'as the test wishes',
    fault.retryAfter === undefined ? {} : { retryAfterSeconds: fault.retryAfter },
  );
}

export async function openTransferServer(): Promise<TransferServer> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-transfer-'));
  const secret = randomBytes(32);
  const counts = new Map<string, number>();
  let era = 0;
  const http = createServer({ highWaterMark: bulkBytes }, (request, response) => {
    request.on('error', () => undefined);
    serve(request, response).catch(error => sendError(request, response, error));
  });
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
  const bulk = { folder, answers: new Map() };
  const endpoints = toEndpoints(server, (session, index) => {
    const path = `/store/${session.clientId}/${index}?length=${session.announced.get(index)?.size}`;
    return { uploadUrl: `${server.url}${path}&signature=${sign(path)}`, headers: { 'x-of-signature': 'yes' } };
  });
  const table = [...endpoints, [uploadPart, () => undefined] as const, [uploadMany, () => undefined] as const].map(
    ([endpoint, handle]) => ({
      endpoint,
      handle,
      pattern: patternOf(endpoint),
    }),
  );

  async function storePart(session: Session, index: number, request: IncomingMessage): Promise<Part> {
    const expected = chunkLength(session.plan.fileSize, session.plan.chunkSize, index);
    if (Number(request.headers['content-length']) !== expected) throw new ApiError('PARAM_IS_INVALID', 'wrong length');
    const part = await storeBody(request, join(folder, crypto.randomUUID()));
    if (part.size !== expected) throw new ApiError('PARAM_IS_INVALID', 'wrong length');
    session.stored.set(index, part);
    return part;
  }

  async function put(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = /^(\/store\/([^/]+)\/(\d+)\?length=\d+)&signature=(\w+)$/.exec(request.url ?? '');
    const given = Buffer.from(found?.[4] ?? '');
    const wanted = Buffer.from(sign(found?.[1] ?? ''));
    const isSigned = given.length === wanted.length && timingSafeEqual(given, wanted);
    if (!isSigned || request.headers['x-of-signature'] !== 'yes') return void response.writeHead(403).end();
    const part = await storePart(getSession(server, found?.[2]), Number(found?.[3]), request);
    response.writeHead(200, { etag: `"${part.hash.slice(7, 39)}"` }).end();
  }

  async function putProxied(params: Record<string, string>, request: IncomingMessage): Promise<unknown> {
    const session = getSession(server, params.clientId);
    assertOpen(session);
    const chunkNumber = Number(params.index);
    await storePart(session, chunkNumber, request);
    const counted = { uploadedChunkCount: session.stored.size, totalChunks: session.plan.totalChunks };
    return { clientId: session.clientId, chunkNumber, ...counted };
  }

  async function download(request: IncomingMessage, response: ServerResponse, hash: string, fault: Fault | undefined) {
    const { view, parts } = getStored(server, hash);
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.setHeader('etag', `"${view.contentHash}"`).setHeader('content-length', view.fileSize - start);
    if (start > 0) response.setHeader('content-range', `bytes ${start}-${view.fileSize - 1}/${view.fileSize}`);
    response.writeHead(start > 0 ? 206 : 200);
    await pipeline(Readable.from(readParts(parts, start, fault)), response);
  }

  function find(request: IncomingMessage, path: string) {
    const hit = table.find(({ endpoint, pattern }) => endpoint.method === request.method && pattern.test(path));
    return hit && { ...hit, params: { ...hit.pattern.exec(path)?.groups } as Record<string, string> };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', server.url);
    const isStore = url.pathname.startsWith('/store/');
    const downloaded = /^\/api\/v1\/files\/([0-9a-f]{64})\/download$/.exec(url.pathname)?.[1];
    const found = find(request, url.pathname);
    const isPart = isStore || found?.endpoint === uploadPart;
    const plain = downloaded ? 'downloadFile' : (found?.endpoint.name ?? url.pathname);
    const call = isPart ? `PUT part ${url.pathname.split('/').at(-1)}` : plain;
    const count = (counts.get(call) ?? 0) + 1;
    counts.set(call, count);
    server.calls.push(call);
    const fault = server.fault(call, count);
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'status') throw orderedError(fault);
    if (fault?.kind === 'reset' && !downloaded) return breakOff(request, fault.afterBytes);
    if (isStore) return put(request, response);
    if (request.headers.authorization !== `Bearer ${server.token}`) throw new ApiError('PERMISSION_TOKEN_INVALID');
    if (downloaded) return download(request, response, downloaded, fault);
    if (!found) throw new ApiError('NOT_FOUND', `no ${url.pathname}`);
    const { endpoint, handle, params } = found;
    const query = Object.fromEntries(url.searchParams);
    const answer = async (): Promise<unknown> => {
      if (isPart) return putProxied(params, request);
      if (endpoint === uploadMany) return storeMany(server, bulk, request);
      return handle({ params, query, body: await readBody(request, endpoint) });
    };
    const data = await answer();
    if (fault?.kind === 'lost-answer') return void response.destroy();
    if (fault?.kind === 'withheld') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 200, message: 'ok', data: (endpoint.answer ?? z.null()).parse(data) }));
  }

  return server;
}
