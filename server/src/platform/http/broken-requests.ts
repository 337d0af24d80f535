// Answers what is no request: bytes that the parser refuses, heads that are too large or too late, tunnels. They are
// answered, counted and logged like any other, and lose their connection, whose next byte nobody could place.
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
import { findWishes, type ShowError, tell } from './show-error.ts';

type Tools = {
  readonly clock: Clock;
  readonly log: Log;
  readonly limiter: RateLimiter;
  readonly proxies: Pick<Proxies, 'clientAddress'>;
  /** Absent: people too get the envelope. */
  readonly showError?: ShowError;
  readonly observe: (seen: { method: string; path: string; status: number; seconds: number }) => void;
};

const kinds: Readonly<Record<string, ErrorKind>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** How long a client may take to read the refusal. */
const lingerMs = 1000;

/** What the parser says of it; the bytes that it read last stand there for most. */
type Broken = { readonly code?: string | undefined; readonly rawPacket?: unknown };

export type Refusals = {
  /** For `clientError` of the server. */
  readonly broken: (error: Broken, socket: Socket) => void;
  /** For `connect` of the server. */
  readonly tunnel: (socket: Socket) => void;
};

export function openRefusals(tools: Tools): Refusals {
  /** Each further byte is reported again. */
  const refused = new WeakSet<Socket>();
  const refuse = (socket: Socket, error: ApiError, { code: reason, rawPacket }: Broken): void => {
    if (socket.destroyed || refused.has(socket)) return;
    const running = runningOn(socket);
    if (!socket.writable || running?.headersSent) return void socket.destroy();
    refused.add(socket);
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
      refuse(socket, kind ? new ApiError(kind) : new ApiError('BAD_REQUEST', 'this is not valid HTTP'), error);
    },
    tunnel: socket => refuse(socket, new ApiError('BAD_REQUEST', 'this server opens no tunnels'), { code: 'CONNECT' }),
  };
}

type Refusal = {
  readonly error: ApiError;
  readonly hit: RateHit;
  readonly reason: string | undefined;
  readonly bytes: unknown;
};

function answer(tools: Tools, socket: Socket, { error, hit, reason, bytes }: Refusal): void {
  const { clock, log, observe, showError = null } = tools;
  const now = clock.now();
  const refusal = toOverLimit(hit, now) ?? error;
  const { status, message } = refusal;
  const { traceId } = startTrace();
  const told = tell(refusal, findWishes(bytes), traceId, showError);
  const headers = { ...told.headers, ...toHeaders(hit), 'x-trace-id': traceId };
  socket.end(toAnswer(refusal, headers, told.body, now));
  setTimeout(() => socket.destroy(), lingerMs).unref();
  observe({ method: '(none)', path: '(none)', status, seconds: 0 });
  log.info({ traceId, status, reason }, `no request ${status}: ${message}`);
}

/**
 * What is being answered there; Node keeps it. Another answer inside one that has begun would be taken for a part of it, and
 * before one that is still to come it would be taken for the answer to what was asked rightly and may have been done.
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
