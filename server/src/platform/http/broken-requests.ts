// Responses to invalid HTTP: bytes that the parser rejects, headers that are too large or too late, CONNECT. They are
// counted and logged like other requests; the connection is closed, because its next bytes have no defined meaning.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import { andThen } from '../awaitable.ts';
import type { Clock } from '../clock.ts';
import type { RateHit } from '../cluster/cluster.ts';
import type { Log } from '../telemetry/log.ts';
import { startTrace } from '../telemetry/trace-context.ts';
import type { Proxies } from './proxies.ts';
import { type RateLimiter, toAddressKey, toHeaders, toOverLimit } from './rate-limit.ts';
import { readAcceptHeaders, renderError, type ShowError } from './show-error.ts';

type Tools = {
  readonly clock: Clock;
  readonly log: Log;
  readonly limiter: RateLimiter;
  readonly proxies: Pick<Proxies, 'clientAddress'>;
  /** Absent: people get the envelope too. */
  readonly showError?: ShowError;
  readonly observe: (observation: { method: string; path: string; status: number; seconds: number }) => void;
};

const kinds: Readonly<Record<string, ErrorKind>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** Time for the client to read the error. */
const lingerMs = 1000;

/** Error of the HTTP parser, usually with the bytes it read last. */
type Broken = { readonly code?: string | undefined; readonly rawPacket?: unknown };

export type Rejections = {
  /** Listener for the server's `clientError`. */
  readonly broken: (error: Broken, socket: Socket) => void;
  /** Listener for the server's `connect`. */
  readonly tunnel: (socket: Socket) => void;
};

export function openRejections(tools: Tools): Rejections {
  /** Node reports every further byte again. */
  const rejected = new WeakSet<Socket>();
  const reject = (socket: Socket, error: ApiError, { code: reason, rawPacket }: Broken): void => {
    if (socket.destroyed || rejected.has(socket)) return;
    const running = runningOn(socket);
    if (!socket.writable || running?.headersSent) return void socket.destroy();
    rejected.add(socket);
    socket.on('error', () => undefined);
    if (running?.req.complete) return void running.setHeader('connection', 'close');
    const who = toAddressKey(tools.proxies.clientAddress(socket.remoteAddress ?? '', {}));
    void andThen(tools.limiter.count('other', who), hit =>
      answer(tools, socket, { error, hit, reason, bytes: rawPacket }),
    );
  };
  return {
    broken: (error, socket) => {
      const kind = kinds[error.code ?? ''];
      reject(socket, kind ? new ApiError(kind) : new ApiError('BAD_REQUEST', 'this is not valid HTTP'), error);
    },
    tunnel: socket =>
      reject(socket, new ApiError('BAD_REQUEST', 'this server does not support CONNECT'), { code: 'CONNECT' }),
  };
}

type Rejection = {
  readonly error: ApiError;
  readonly hit: RateHit;
  readonly reason: string | undefined;
  readonly bytes: unknown;
};

function answer(tools: Tools, socket: Socket, { error, hit, reason, bytes }: Rejection): void {
  const { clock, log, observe, showError = null } = tools;
  const now = clock.now();
  const rejection = toOverLimit(hit, now) ?? error;
  const { status, message } = rejection;
  const { traceId } = startTrace();
  const rendered = renderError(rejection, readAcceptHeaders(bytes), traceId, showError);
  const headers = { ...rendered.headers, ...toHeaders(hit), 'x-trace-id': traceId };
  socket.end(toAnswer(rejection, headers, rendered.body, now));
  setTimeout(() => socket.destroy(), lingerMs).unref();
  observe({ method: '(none)', path: '(none)', status, seconds: 0 });
  log.info({ traceId, status, reason }, `no request ${status}: ${message}`);
}

/**
 * The response in progress on a connection, from Node's internals. Another response inside a begun one would be read as
 * part of it; before a pending one it would be read as the answer to a valid request, which may have been carried out.
 */
const runningOn = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): ServerResponse | undefined =>
  socket._httpMessage ?? undefined;

function toAnswer(
  { status, retryAfterSeconds }: ApiError,
  headers: Readonly<Record<string, string>>,
  body: string,
  now: number,
): string {
  const all = {
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
    ...(retryAfterSeconds !== undefined && { 'retry-after': retryAfterSeconds }),
    date: new Date(now).toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
