// Answers what is no request: bytes that the parser refuses, heads that are too large or too late, tunnels. They get the
// envelope, are logged and counted like any other, and lose their connection, whose next byte nobody could place.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorKind } from '@recordproof/shared/api/errors.ts';
import type { Log } from '../telemetry/log.ts';
import { startTrace } from '../telemetry/trace-context.ts';
import { toErrorEnvelope } from './answers.ts';

type Ports = {
  readonly log: Log;
  readonly observe: (seen: { method: string; path: string; status: number; seconds: number }) => void;
};

const kinds: Readonly<Record<string, ErrorKind>> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** How long a client may take to read the refusal. */
const lingerMs = 1000;

/** For `clientError` of the server. */
export const refuseBroken = (ports: Ports, { code }: NodeJS.ErrnoException, socket: Socket): void => {
  const kind = kinds[code ?? ''];
  refuse(ports, socket, kind ? new ApiError(kind) : new ApiError('BAD_REQUEST', 'this is not valid HTTP'), code);
};

/** For `connect` of the server. */
export const refuseTunnel = (ports: Ports, socket: Socket): void =>
  refuse(ports, socket, new ApiError('BAD_REQUEST', 'this server opens no tunnels'), 'CONNECT');

function refuse({ log, observe }: Ports, socket: Socket, error: ApiError, reason: string | undefined): void {
  if (socket.destroyed || socket.writableEnded) return; // each further byte is reported again
  if (!socket.writable || hasAnswerUnderWay(socket)) return void socket.destroy();
  const { traceId } = startTrace();
  socket.on('error', () => undefined);
  socket.end(toAnswer(error, traceId));
  setTimeout(() => socket.destroy(), lingerMs).unref();
  observe({ method: '(none)', path: '(none)', status: error.status, seconds: 0 });
  log.info({ traceId, status: error.status, reason }, `no request ${error.status}: ${error.message}`);
}

/** Another answer inside one that has begun would be taken for a part of it. Node keeps the running one there. */
const hasAnswerUnderWay = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true;

function toAnswer(error: ApiError, traceId: string): string {
  const body = toErrorEnvelope(error);
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `x-trace-id: ${traceId}`,
    `date: ${new Date().toUTCString()}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
