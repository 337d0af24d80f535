// URLs for audio and video elements: a signed ticket has the account, the file and the time of expiry. Every request
// checks again that account and file exist. Ending all sessions of the account also ends its tickets.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type readStream as contract, streamPrefix } from '@recordproof/shared/api/previews.ts';
import { isMedia } from '@recordproof/shared/preview-kinds.ts';
import { callAs } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { PlainAnswer, Request } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { findAccount, isTenantActive } from '../accounts/index.ts';
import { downloadContent } from '../downloads/index.ts';
import { toOwner } from '../envelopes/index.ts';
import { type FileRow, findFile, getOwnFile, isLive } from '../files/index.ts';

const lifetimeMs = 60 * 60_000;
const label = 'recordproof-stream-v1';

/** All are numbers; joined by dots. */
type Ticket = readonly [expiresAt: number, tenantId: number, userId: number, authVersion: number, fileId: number];

const sign = (key: KeyObject, ticket: Ticket): Buffer =>
  createHmac('sha256', key)
    .update([label, ...ticket].join('\n'))
    .digest();

const form = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.([A-Za-z0-9_-]{43})$/;

function readTicket(key: KeyObject, text: string): Ticket | null {
  const [, ...parts] = form.exec(text) ?? [];
  const [expiresAt, tenantId, userId, authVersion, fileId] = parts.slice(0, 5).map(Number);
  if (expiresAt === undefined || tenantId === undefined || userId === undefined) return null;
  if (authVersion === undefined || fileId === undefined) return null;
  const ticket: Ticket = [expiresAt, tenantId, userId, authVersion, fileId];
  const received = Buffer.from(parts[5] ?? '', 'base64url');
  const expected = sign(key, ticket);
  return received.length === expected.length && timingSafeEqual(received, expected) ? ticket : null;
}

export async function createStream(
  { database, keys, clock }: Pick<Server, 'database' | 'keys' | 'clock'>,
  request: Pick<Request, 'actor' | 'caller'>,
  hash: string,
): Promise<{ path: string; expiresAt: string }> {
  const file = await getOwnFile(database.db, request, hash);
  if (!isMedia(file.content_type))
    throw new ApiError('FILE_ACCEPT_NOT_SUPPORT', `${file.content_type} cannot be played; download the file`);
  const expiresAt = clock.now() + lifetimeMs;
  const { tenantId, userId, authVersion } = request.actor;
  const ticket: Ticket = [expiresAt, tenantId, userId, authVersion, file.id];
  const text = [...ticket, sign(keys.transfer, ticket).toString('base64url')].join('.');
  return { path: `${streamPrefix}${text}`, expiresAt: toIso(expiresAt) };
}

export async function readStream(server: Server, request: Request<typeof contract>): Promise<PlainAnswer> {
  const { database, keys, clock } = server;
  const ticket = readTicket(keys.transfer, request.params.ticket);
  if (ticket === null) throw new ApiError('FORBIDDEN', 'this URL is not valid; open the file again');
  const [expiresAt, tenantId, userId, authVersion, fileId] = ticket;
  const account = await findAccount(database.db, tenantId, userId);
  const isGood =
    expiresAt > clock.now() &&
    account?.status === 'ACTIVE' &&
    account.auth_version === authVersion &&
    (await isTenantActive(database.db, tenantId));
  if (!isGood) throw new ApiError('FORBIDDEN', 'this URL has expired; open the file again');
  const file = await findFile(database.db, tenantId, fileId);
  if (!isPlayable(file, userId)) throw new ApiError('FILE_NOT_EXIST');
  const caller = callAs(
    { ...request, url: streamPrefix }, // the rest of the address opens the file
    { tenantId, userId, username: account.username },
  );
  return downloadContent(server, caller, { http: request, file, recipient: toOwner(file) });
}

const isPlayable = (file: FileRow | null, userId: number): file is FileRow =>
  file?.owner_id === userId && isLive(file) && isMedia(file.content_type);
