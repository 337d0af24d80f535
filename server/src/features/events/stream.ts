// One open event stream: a connection with its head sent, and the listening user. There are thousands of these, so they
// are small, have no timers, and share frames that are made once.
import type { Socket } from 'node:net';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import {
  type EndReason,
  eventPermissions,
  type StreamPayload,
  type StreamType,
} from '@recordproof/shared/api/events.ts';
import { toIso } from '../../platform/clock.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { isWithin } from '../../platform/http/narrow.ts';
import { newTokenId } from '../../platform/ids.ts';
import type { EventRow } from './queries.ts';

/**
 * Of an API token's stream: no events outside its scopes and, if it is limited to a folder, only events known to concern
 * a file in it.
 */
type StreamLimits = { readonly permissions: ReadonlySet<Permission>; readonly folder: string | null };

/** Null for a session, which receives everything. */
const limitsOf = ({ apiToken, permissions }: Pick<Actor, 'apiToken' | 'permissions'>): StreamLimits | null =>
  apiToken === undefined ? null : { permissions, folder: apiToken.folder };

const findPath = (payloadJson: string): unknown => (JSON.parse(payloadJson) as { path?: unknown }).path;

/** `payloadJson` is parsed only for a folder limit. */
function mayReceive(limits: StreamLimits | null, type: string, payloadJson: string): boolean {
  if (limits === null) return true;
  const permission = (eventPermissions as Readonly<Record<string, Permission | null | undefined>>)[type];
  if (permission == null || !limits.permissions.has(permission)) return false;
  if (limits.folder === null) return true;
  const path = findPath(payloadJson);
  return typeof path === 'string' && isWithin(limits.folder, path);
}

/** A slow client may fall behind by this much. */
const maxBacklogBytes = 1024 * 1024;
/** Leaves room for one page of events. */
const drainedBytes = 256 * 1024;
const drainLimitMs = 30_000;

const toFrame = (id: Key | undefined, type: string, payloadJson: string, at: Time): Buffer =>
  Buffer.from(
    `${id === undefined ? '' : `id: ${id}\n`}data: {"type":"${type}","payload":${payloadJson},"timestamp":"${toIso(at)}"}\n\n`,
  );

export const toEventFrame = (row: EventRow): Buffer => toFrame(row.id, row.type, row.payload, row.created_at);

/** A message that is not stored: it has no id, so that clients do not resume from it. */
export const toPassingFrame = <T extends StreamType>(type: T, payload: StreamPayload<T>, at: Time): Buffer =>
  toFrame(undefined, type, JSON.stringify(payload), at);

/** `slow`: the client did not read. `closed`: by the client. */
export type Ending = EndReason | 'slow' | 'closed';

export class EventStream {
  readonly connectionId = newTokenId();
  readonly openedAt: Time;
  readonly userId: Key;
  readonly role: Role;
  readonly tokenId: string;
  readonly authVersion: number;
  readonly tokenExpiresAt: Time;
  readonly #limits: StreamLimits | null;
  /** The newest event that was sent or skipped. */
  lastId: Key;
  /** Past events are sent: from now on it gets live ones. */
  isLive = false;
  #ending: Ending | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket, actor: Actor, { openedAt, lastId }: { openedAt: Time; lastId: Key }) {
    this.#socket = socket;
    this.openedAt = openedAt;
    this.userId = actor.userId;
    this.role = actor.role;
    this.tokenId = actor.tokenId;
    this.authVersion = actor.authVersion;
    this.tokenExpiresAt = actor.tokenExpiresAt;
    this.lastId = lastId;
    this.#limits = limitsOf(actor);
  }

  /** Calls back once, asynchronously, when the connection has closed for any reason. */
  onClosed(callback: (ending: Ending) => void): void {
    const closed = () => callback(this.#ending ?? 'closed');
    if (this.#socket.closed) queueMicrotask(closed);
    else this.#socket.once('close', closed);
  }

  get isOpen(): boolean {
    return this.#ending === undefined && !this.#socket.destroyed;
  }

  /** Whether its limits permit the event. */
  admits(type: string, payloadJson: string): boolean {
    return mayReceive(this.#limits, type, payloadJson);
  }

  /** The first message; contains the id to resume from if no event follows. */
  greet(start: Omit<StreamPayload<'connected'>, 'connectionId'>, retryMs: number): void {
    const payload = JSON.stringify({ connectionId: this.connectionId, ...start });
    const frame = toFrame(this.lastId, 'connected', payload, this.openedAt);
    this.send(Buffer.concat([Buffer.from(`retry: ${retryMs}\n`), frame]));
  }

  send(frame: Buffer): boolean {
    if (!this.isOpen) return false;
    this.#socket.write(frame);
    if (this.#socket.writableLength > maxBacklogBytes) this.#cut();
    return true;
  }

  /** Sends what was buffered since the connection was opened: one packet instead of three. */
  flush(): void {
    this.#socket.uncork();
  }

  /**
   * Resolves when there is room for one more page, or the stream has ended; a client that does not read in time is
   * disconnected.
   */
  async drained(): Promise<void> {
    this.flush();
    if (!this.isOpen || this.#socket.writableLength <= drainedBytes) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#cut(), drainLimitMs);
    this.#socket.once('drain', resolve).once('close', resolve);
    await promise;
    clearTimeout(timer);
    this.#socket.off('drain', resolve).off('close', resolve);
  }

  /** Sends a final message, if the client reads it; the connection is closed by `abandon` at the latest. */
  end(reason: EndReason, at: Time): void {
    if (!this.isOpen) return;
    this.#ending = reason;
    this.#socket.write(toPassingFrame('disconnected', { reason }, at));
    this.#socket.destroySoon();
  }

  abandon(): void {
    this.#socket.destroy();
  }

  #cut(): void {
    this.#ending ??= 'slow';
    this.#socket.destroy();
  }
}
