// One open event stream: a connection whose head is sent, and who listens. There are thousands of these, so they are
// small, have no timers, and are handed bytes that were framed once for all of them.
import type { Socket } from 'node:net';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { EndReason, StreamPayload, StreamType } from '@recordproof/shared/api/events.ts';
import { toIso } from '../../platform/clock.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { newTokenId } from '../../platform/ids.ts';
import type { EventRow } from './queries.ts';

/** Who does not read falls behind by so much and no more. */
const maxBacklogBytes = 1024 * 1024;
/** Enough that a page of events fits on top of it. */
const drainedBytes = 256 * 1024;
const drainLimitMs = 30_000;

const toFrame = (id: Key | undefined, type: string, payloadJson: string, at: Time): Buffer =>
  Buffer.from(
    `${id === undefined ? '' : `id: ${id}\n`}data: {"type":"${type}","payload":${payloadJson},"timestamp":"${toIso(at)}"}\n\n`,
  );

export const toEventFrame = (row: EventRow): Buffer => toFrame(row.id, row.type, row.payload, row.created_at);

/** What is not kept: it carries no id, so that nobody takes up again from there. */
export const toPassingFrame = <T extends StreamType>(type: T, payload: StreamPayload<T>, at: Time): Buffer =>
  toFrame(undefined, type, JSON.stringify(payload), at);

/** `slow`: it did not read. `closed`: by the client. */
export type Ending = EndReason | 'slow' | 'closed';

export class EventStream {
  readonly connectionId = newTokenId();
  readonly openedAt: Time;
  readonly userId: Key;
  readonly role: Role;
  readonly tokenId: string;
  readonly authVersion: number;
  readonly tokenExpiresAt: Time;
  /** The newest event it has been sent, or need not be sent. */
  lastId: Key;
  /** What it missed has been sent: from now on it gets what happens. */
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
  }

  /** Calls back once, later, when the connection is gone, however it went. */
  onClosed(callback: (ending: Ending) => void): void {
    const closed = () => callback(this.#ending ?? 'closed');
    if (this.#socket.closed) queueMicrotask(closed);
    else this.#socket.once('close', closed);
  }

  get isOpen(): boolean {
    return this.#ending === undefined && !this.#socket.destroyed;
  }

  /** The first message; says where to take up again from should nothing else ever come. */
  greet(missed: boolean, retryMs: number): void {
    const payload = JSON.stringify({ connectionId: this.connectionId, missed });
    const frame = toFrame(this.lastId, 'connected', payload, this.openedAt);
    this.send(Buffer.concat([Buffer.from(`retry: ${retryMs}\n`), frame]));
  }

  send(frame: Buffer): boolean {
    if (!this.isOpen) return false;
    this.#socket.write(frame);
    if (this.#socket.writableLength > maxBacklogBytes) this.#cut();
    return true;
  }

  /** Lets go what was gathered since the connection was handed out: one packet instead of three. */
  flush(): void {
    this.#socket.uncork();
  }

  /** Resolves when there is room for a page more, or the stream is over: who makes no room in time is cut off. */
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

  /** With a last word, if the client reads it; the connection is gone at the latest when `abandon` is called. */
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
