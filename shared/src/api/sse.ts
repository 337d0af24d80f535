// Follows the event stream of an account for as long as it is asked to: through outages, restarts and silence, from
// where it stopped, each event once. Over the typed client, so that it runs wherever that does.
import { type Client, TransportError } from './client.ts';
import { ApiError } from './errors.ts';
import { connectEvents, type EndReason, parseStreamMessage, type StreamMessage } from './events.ts';
import { readConnection, type SseMessage } from './sse-connection.ts';

/** What is handed on. `connected` comes first and after each outage; with `missed`, read anew what you show. */
export type ServerEvent = Exclude<StreamMessage, { type: 'heartbeat' | 'disconnected' }>;

export type FollowOptions = {
  readonly client: Pick<Client, 'open'>;
  /** Begin behind this event; without it, with what happens from now on. */
  readonly lastEventId?: string | undefined;
  /** Ends the following, without an error. */
  readonly signal?: AbortSignal | undefined;
  /** There is no stream at the moment, and the next try comes after the pause. May throw to give up. */
  readonly onWaiting?: (reason: Error, pauseMs: number) => void;
  /** Nothing for so long, not even a heartbeat, means that the connection is dead. */
  readonly silenceMs?: number;
  /** Before the second connection; later ones wait longer, until one was good. */
  readonly firstPauseMs?: number;
  readonly random?: () => number;
};

/** The server ended the stream for good: whoever follows on would only end another. */
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

/** What the next connection has to know. */
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

/** Outages pass. Refusals do not, nor does an address where something else answers, unless the right thing did before. */
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

/** Nothing for what only keeps the stream alive, is not known, or was told before. */
function* toEvents({ data, lastId }: SseMessage, position: Position): Generator<ServerEvent, void, void> {
  const message = parseStreamMessage(data, lastId);
  if (message?.type === 'heartbeat') return;
  if (message?.type === 'disconnected') {
    if (finalReasons.includes(message.payload.reason)) throw new StreamEnded(message.payload.reason);
    return;
  }
  if (message?.type === 'upload-progress') {
    // It has no id of its own: this is the one before it.
    const { id: _repeated, ...progress } = message;
    return yield progress;
  }
  // The server's own word, also where it had to go back behind what we knew.
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
