// A client for the event stream of an account that reconnects: through outages, restarts and silence, from where it
// stopped, each event once. It uses the typed client, so it runs on the same platforms.
import { type Client, TransportError } from './client.ts';
import { ApiError } from './errors.ts';
import { connectEvents, type EndReason, parseStreamMessage, type StreamMessage } from './events.ts';
import { readConnection, type SseMessage } from './sse-connection.ts';

/** Events for the caller. `connected` comes first and after each outage; with `missed`, reload what you show. */
export type ServerEvent = Exclude<StreamMessage, { type: 'heartbeat' | 'disconnected' }>;

export type FollowOptions = {
  readonly client: Pick<Client, 'open'>;
  /** Start after this event; by default, with new ones. */
  readonly lastEventId?: string | undefined;
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Called when disconnected, with the pause before the next attempt. May throw to stop. */
  readonly onWaiting?: (reason: Error, pauseMs: number) => void;
  /** Without any message for this long, not even a heartbeat, the connection is considered dead. */
  readonly silenceMs?: number;
  /** Before the second connection; the pause grows until a connection succeeds. */
  readonly firstPauseMs?: number;
  readonly random?: () => number;
};

/** The server ended the stream permanently: reconnecting would only end another one. */
export class StreamEnded extends Error {
  readonly reason: EndReason;

  constructor(reason: EndReason) {
    super(
      reason === 'replaced'
        ? 'the stream was ended because this account opened more streams than it may have'
        : 'the stream was ended on request',
    );
    this.name = 'StreamEnded';
    this.reason = reason;
  }
}

const defaultSilenceMs = 75_000;
const defaultFirstPauseMs = 3000;
const longestPauseMs = 30_000;
const finalReasons: readonly EndReason[] = ['replaced', 'disconnected'];

/** State carried to the next connection. */
type Position = { lastId: string | undefined; failures: number; hasBeenConnected: boolean };

export async function* followEvents(options: FollowOptions): AsyncGenerator<ServerEvent, void, void> {
  const { signal, random = Math.random, firstPauseMs = defaultFirstPauseMs } = options;
  const position: Position = { lastId: options.lastEventId, failures: 0, hasBeenConnected: false };
  while (!signal?.aborted) {
    let reason: Error;
    try {
      yield* readOnce(options, position);
      reason = new TransportError('unreachable', 'the server closed the stream');
    } catch (error) {
      if (signal?.aborted) return;
      if (!mayPass(error, position)) throw error;
      reason = error;
    }
    const backoffMs = Math.min(longestPauseMs, firstPauseMs * 2 ** position.failures);
    const askedMs = reason instanceof ApiError ? (reason.retryAfterSeconds ?? 0) * 1000 : 0;
    const pauseMs = Math.round(Math.max(askedMs, backoffMs * (0.5 + random() / 2)));
    position.failures = Math.min(position.failures + 1, 10);
    options.onWaiting?.(reason, pauseMs);
    await pause(pauseMs, signal);
  }
}

/**
 * Whether to retry. Outages are temporary; error responses are not, nor is another service at the URL, unless a
 * connection succeeded before.
 */
function mayPass(error: unknown, { hasBeenConnected }: Position): error is Error {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  if (!(error instanceof TransportError)) return false;
  return hasBeenConnected || error.failure === 'unreachable' || error.failure === 'timed-out';
}

async function* readOnce(options: FollowOptions, position: Position): AsyncGenerator<ServerEvent, void, void> {
  const { client, signal, silenceMs = defaultSilenceMs } = options;
  const query = position.lastId === undefined ? {} : { lastEventId: position.lastId };
  const connect = (ended: AbortSignal) => client.open(connectEvents, { query, signal: ended });
  for await (const message of readConnection({ connect, signal, silenceMs })) {
    signal?.throwIfAborted();
    yield* toEvents(message, position);
  }
}

/** Skips heartbeats, unknown messages, and repeated events. */
function* toEvents({ data, lastId }: SseMessage, position: Position): Generator<ServerEvent, void, void> {
  const message = parseStreamMessage(data, lastId);
  if (message?.type === 'heartbeat') return;
  if (message?.type === 'disconnected') {
    if (finalReasons.includes(message.payload.reason)) throw new StreamEnded(message.payload.reason);
    return;
  }
  if (message?.type === 'upload-progress') {
    // It has no id of its own: this is the previous one.
    const { id: _repeated, ...progress } = message;
    return yield progress;
  }
  // The server's position is authoritative, even if it is before ours.
  if (message?.type === 'connected') {
    position.hasBeenConnected = true;
    position.failures = 0;
  } else if (lastId !== undefined && Number(lastId) <= Number(position.lastId)) return;
  if (lastId !== undefined) position.lastId = lastId;
  if (message) yield message;
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  const stop = () => resolve();
  signal?.addEventListener('abort', stop);
  if (!signal?.aborted) await promise;
  signal?.removeEventListener('abort', stop);
  clearTimeout(timer);
}
