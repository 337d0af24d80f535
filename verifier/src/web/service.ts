// The web service: its routes, and the order of checks on an upload: rate, size, a free slot, and only then its bytes.
// Clients are identified by their socket alone. Logs contain codes and times, never received data.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseBoundary } from '@recordproof/shared/node/multipart.ts';
import { chooseLanguage } from '@recordproof/shared/words/words.ts';
import { closeServer } from '../shell/serving.ts';
import { systemCodeOf } from '../shell/terminal.ts';
import type { LiveEvidence } from '../verify/live-evidence.ts';
import type { VerificationReport } from '../verify/report.ts';
import { Admission, type Slot } from './admission.ts';
import { send, sendError, sendRejection, toJson } from './answers.ts';
import { ServiceError, toServiceError } from './errors.ts';
import { announcedBytes, type BodyLimits, hasBody, meteredBody } from './metered-body.ts';
import { type Page, type Pages, pagePaths } from './page/pages.ts';
import { RateLimiter } from './rate-limiter.ts';
import { readUpload, type Upload } from './read-upload.ts';
import type { ServiceSettings } from './settings.ts';
import { verifyUpload } from './verify-upload.ts';

const maxConnections = 2000;
const headersTimeoutMillis = 10_000;
const shutdownMillis = 10_000;
/** About 9 KB a second, below any line suitable for sending files. */
const pace = { minBytesPerPeriod: 44 * 1024, periodMillis: 5000 };
const slotLingerMillis = 1000;
/** Rejected clients are asked to retry after a second, and do. */
const rememberMillis = 10_000;

export type ServiceParts = {
  settings: ServiceSettings;
  pages: Pages;
  /** Absent: the service makes no connections. */
  live?: LiveEvidence | undefined;
  log: (line: string) => void;
  now?: () => number;
  pace?: Omit<BodyLimits, 'maxBytes'>;
};

type VerifierService = AsyncDisposable & { readonly url: string };

type Running = ServiceParts & { limiter: RateLimiter; admission: Admission };

export async function openVerifierService(parts: ServiceParts): Promise<VerifierService> {
  const { settings, now = () => performance.now() } = parts;
  const running: Running = {
    ...parts,
    limiter: new RateLimiter(settings.rateLimit, now),
    admission: new Admission(
      {
        slots: settings.maxConcurrent,
        slotsPerAddress: settings.maxConcurrentPerAddress,
        acquireTimeoutMillis: settings.acquireTimeoutMillis,
        rememberMillis,
      },
      now,
    ),
  };
  const options = { requestTimeout: 0, headersTimeout: headersTimeoutMillis, maxHeaderSize: 16 * 1024 };
  const server = createServer(options);
  server.maxConnections = maxConnections;
  const answer = (request: IncomingMessage, response: ServerResponse) => void answerRequest(request, response, running);
  server.on('request', answer);
  // A client that sends Expect: 100-continue is told to continue only once it has a slot.
  server.on('checkContinue', answer);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(settings.port, settings.host, resolve);
  await promise;
  const { port, address, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`,
    [Symbol.asyncDispose]: () => closeServer(server, shutdownMillis),
  };
}

const addresses: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/verify': ['POST'],
  '/actuator/health': ['GET', 'HEAD'],
  ...Object.fromEntries(pagePaths.map(path => [path, ['GET', 'HEAD']])),
};

async function answerRequest(request: IncomingMessage, response: ServerResponse, running: Running): Promise<void> {
  const started = performance.now();
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const methods = Object.hasOwn(addresses, path) ? addresses[path] : undefined;
  const result = await answerAt(path, query, methods, request, response, running).catch(problem =>
    answerError(problem, response),
  );
  const millis = Math.round(performance.now() - started);
  // Only our own paths: others are untrusted text.
  const shown = methods === undefined ? 'other' : `${request.method} ${path}`;
  running.log(`${shown} ${response.headersSent ? response.statusCode : 'aborted'} ${result} ${millis} ms`);
}

/** Resolves to the text for the log. */
async function answerAt(
  path: string,
  query: string,
  methods: readonly string[] | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  running: Running,
): Promise<string> {
  if (methods === undefined) throw new ServiceError('NOT_FOUND');
  if (!methods.includes(request.method ?? '')) {
    response.setHeader('allow', methods.join(', '));
    throw new ServiceError('METHOD_NOT_ALLOWED');
  }
  if (path === '/api/v1/verify') return await answerVerify(request, response, running);
  // An unread body would hold the connection for as long as its bytes trickle in.
  if (hasBody(request)) response.setHeader('connection', 'close');
  if (path === '/actuator/health') send(response, 200, toJson({ status: 'UP' }));
  else
    sendPage(
      request,
      response,
      await running.pages.get(path, query, chooseLanguage(request.headers['accept-language'])),
    );
  return 'OK';
}

function answerError(problem: unknown, response: ServerResponse): string {
  const error = toServiceError(problem);
  if (!response.headersSent && !response.destroyed) {
    if (response.req.complete) sendError(response, error);
    else sendRejection(response, error);
  }
  return error.code === 'INTERNAL' ? `INTERNAL ${reasonOf(problem)}` : error.code;
}

/** A message could contain a path or untrusted text. */
function reasonOf(problem: unknown): string {
  const code = systemCodeOf(problem);
  return /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : 'UNEXPECTED';
}

function sendPage(request: IncomingMessage, response: ServerResponse, page: Page): void {
  const { type, bytes, etag, headers } = page;
  const cached = { ...headers, etag, 'cache-control': 'no-cache' };
  if (request.headers['if-none-match'] === etag) response.writeHead(304, cached).end();
  else send(response, 200, { type, bytes }, cached);
}

async function answerVerify(request: IncomingMessage, response: ServerResponse, running: Running): Promise<string> {
  const { settings, limiter } = running;
  const retryAfterSeconds = limiter.take(request.socket.remoteAddress ?? '');
  if (retryAfterSeconds !== undefined) throw new ServiceError('RATE_LIMITED', retryAfterSeconds);
  if ((announcedBytes(request) ?? 0) > settings.maxRequestBytes) throw new ServiceError('REQUEST_TOO_LARGE');
  const boundary = boundaryOf(request);
  const report = await verifyInSlot(request, response, boundary, running);
  send(response, 200, toJson(report));
  return report.outcome;
}

/** When this settles, the slot is free and nothing of the upload is left. */
async function verifyInSlot(
  request: IncomingMessage,
  response: ServerResponse,
  boundary: string,
  running: Running,
): Promise<VerificationReport> {
  using slot = await running.admission.enter(request.socket.remoteAddress ?? '');
  if (slot === undefined) throw new ServiceError('VERIFIER_BUSY', 1);
  if (request.headers.expect !== undefined) response.writeContinue();
  await using upload = await receive(request, response, boundary, running, slot);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return await verifyUpload(upload, running.live, gone.signal);
}

function boundaryOf({ headers }: IncomingMessage): string {
  try {
    return parseBoundary(headers['content-type']);
  } catch {
    throw new ServiceError('MULTIPART_INVALID');
  }
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  boundary: string,
  { settings, admission, pace: ownPace = pace }: Running,
  slot: Slot,
): Promise<Upload> {
  let rejection: ServiceError | undefined;
  const refuse = (error: ServiceError) => {
    rejection ??= error;
    // The rejection closes the connection, which ends the pending read and frees the slot, so the delay is short.
    if (rejection === error) sendRejection(response, error, slotLingerMillis);
  };
  slot.onRecall = () => refuse(new ServiceError('VERIFIER_BUSY', 1));
  const body = meteredBody(
    request,
    { ...ownPace, maxBytes: settings.maxRequestBytes },
    () => refuse(new ServiceError('UPLOAD_TOO_SLOW')),
    () => admission.isWanted,
  );
  try {
    return await readUpload(body, boundary, settings.maxOriginalBytes);
  } catch (problem) {
    throw rejection ?? problem;
  } finally {
    slot.onRecall = undefined;
  }
}
