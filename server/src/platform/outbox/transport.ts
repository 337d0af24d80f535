// How events leave the outbox table and reach whoever handles them: at least once, in no promised order.
// Handlers deduplicate by event id. The payload is small (ids, not contents) and becomes JSON.

import type { CircuitOpenError } from '../circuit-breaker.ts';

export type OutboxEvent = {
  readonly id: string;
  /** Words joined by dots, such as `file.stored`; consumer groups choose by it. */
  readonly type: string;
  readonly tenantId: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly createdAt: string;
};

export type ConsumerGroup = {
  readonly name: string;
  /** Which types it wants: `file.stored`, `file.*` (one word), `file.#` (any words), `#` (all). */
  readonly types: readonly string[];
};

/** `attempt` counts from 1. Resolving means handled for good. */
export type EventHandler = (event: OutboxEvent, attempt: number) => Promise<void>;

export type Retry = { readonly maxAttempts: number; readonly firstDelayMs: number; readonly maxDelayMs: number };

export type TransportHealth = { readonly mode: 'embedded' | 'rabbitmq'; readonly connected: boolean };

export type OutboxTransport = AsyncDisposable & {
  /**
   * Resolves when the event can no longer be lost on its way to every group that wants it: the broker has confirmed
   * it, or, where this process is the consumer, all have handled it. Throws TransportUnavailable (try again later)
   * or EventNotHandled. Publishing the same event again is harmless.
   */
  publish(event: OutboxEvent): Promise<void>;

  /**
   * Handles what arrives for a group that was named when the transport was opened. Several consumers of a group,
   * in any number of processes, share its events. A failing event is tried again after a growing delay; when its
   * attempts are used up it is set aside as a dead letter. Disposing waits for running handlers and gives
   * unfinished events back.
   */
  consume(group: string, handler: EventHandler): Promise<AsyncDisposable>;

  /** Never throws and answers within a bounded time. */
  probe(): Promise<TransportHealth>;
};

/** The event may or may not have arrived: publish it again later. */
export class TransportUnavailable extends Error {
  constructor(reason: string, cause?: CircuitOpenError) {
    super(`events cannot be published right now: ${reason}`, cause && { cause });
    this.name = 'TransportUnavailable';
  }
}

/** Only where there is no broker: a handler used up its attempts. The outbox row is the dead letter. */
export class EventNotHandled extends Error {
  readonly groups: readonly string[];

  constructor(groups: readonly string[], cause: unknown) {
    super(`no success in handling the event for ${groups.join(', ')}`, { cause });
    this.name = 'EventNotHandled';
    this.groups = groups;
  }
}

/** Thrown by a handler whose own backing is away: tried again as long as it takes, not counted as an attempt. */
export class NotNow extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotNow';
  }
}

export const maxEventBytes = 256 * 1024;

const typePattern = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const groupPattern = /^[a-z0-9-]{1,64}$/;

export const checkGroups = (groups: readonly ConsumerGroup[]): void => {
  for (const { name } of groups) {
    if (!groupPattern.test(name)) throw new RangeError(`"${name}" cannot be the name of a consumer group`);
  }
  if (new Set(groups.map(({ name }) => name)).size < groups.length) {
    throw new RangeError('a consumer group is named twice');
  }
};

export const wants = (group: ConsumerGroup, type: string): boolean =>
  group.types.some(pattern => matchesWords(pattern.split('.'), type.split('.')));

const matchesWords = (pattern: readonly string[], words: readonly string[]): boolean => {
  const [first, ...rest] = pattern;
  if (first === undefined) return words.length === 0;
  if (first === '#') return matchesWords(rest, words) || (words.length > 0 && matchesWords(pattern, words.slice(1)));
  return words.length > 0 && (first === '*' || first === words[0]) && matchesWords(rest, words.slice(1));
};

export const encodeEvent = (event: OutboxEvent): Buffer => {
  if (event.type.length > 255 || !typePattern.test(event.type)) throw new RangeError('an event type is words and dots');
  const { id, type, tenantId, payload, createdAt } = event;
  const bytes = Buffer.from(JSON.stringify({ id, type, tenantId, payload, createdAt }));
  if (bytes.length > maxEventBytes) throw new RangeError(`an event is limited to ${maxEventBytes} bytes`);
  return bytes;
};

/** Null when the bytes are no event of ours: anybody with access to the broker can send any. */
export const parseEvent = (bytes: Buffer): OutboxEvent | null => {
  if (bytes.length > maxEventBytes) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isRecord(value)) return null;
    const { id, type, tenantId, payload, createdAt } = value;
    if (!isRecord(payload)) return null;
    const isText = (part: unknown): part is string => typeof part === 'string';
    if (!isText(id) || !isText(type) || !isText(tenantId) || !isText(createdAt) || !typePattern.test(type)) return null;
    return { id, type, tenantId, payload, createdAt };
  } catch {
    return null;
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
