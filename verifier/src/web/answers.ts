// Responses of the service: common headers, and rejections that do not wait for the rest of a body.
import type { ServerResponse } from 'node:http';
import { errorSchema, type ServiceError } from './errors.ts';

/** How long a client that is still uploading has to read its rejection; enough for a busy machine. */
const lingerMillis = 5000;

const everywhere = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

type Body = { type: string; bytes: Uint8Array };

export const toJson = (data: unknown): Body => ({
  type: 'application/json',
  bytes: Buffer.from(`${JSON.stringify(data, null, 2)}\n`),
});

export function send(
  response: ServerResponse,
  status: number,
  { type, bytes }: Body,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...everywhere, 'content-type': type, 'content-length': bytes.length, ...headers });
  response.end(bytes);
}

const toErrorBody = ({ code, message }: ServiceError): Body => toJson({ schemaVersion: errorSchema, code, message });

const retryHeader = ({ retryAfterSeconds }: ServiceError): Record<string, string> =>
  retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };

export function sendError(response: ServerResponse, error: ServiceError, headers: Record<string, string> = {}): void {
  send(response, error.status, toErrorBody(error), { ...retryHeader(error), ...headers });
}

/**
 * For a request whose body is unread. Node would read the rest to keep the connection, or reset it and lose the
 * response; instead the response is written completely, nothing more is read, and the connection is closed after a
 * delay.
 */
export function sendRejection(response: ServerResponse, error: ServiceError, millis: number = lingerMillis): void {
  const { type, bytes } = toErrorBody(error);
  const headers = { 'content-type': type, 'content-length': bytes.length, connection: 'close', ...retryHeader(error) };
  response.writeHead(error.status, { ...everywhere, ...headers });
  response.write(bytes);
  const { socket } = response;
  const timer = setTimeout(() => socket?.destroy(), millis);
  socket?.once('close', () => clearTimeout(timer));
}
