// Follows the event stream of an account for as long as it is asked to: through outages, restarts and silence, from
// where it stopped, each event once. Over fetch, so that it runs wherever the typed client does.
import { type Client, TransportError } from './client.ts';
import { ApiError } from './errors.ts';
import { connectEvents, type EndReason, parseStreamMessage, type StreamMessage } from './events.ts';
import { SseParser } from './sse-parser.ts';

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
const firstPauseMs = 1000;
const longestPauseMs = 30_000;
const finalReasons: readonly EndReason[] = ['replaced', 'disconnected'];

/** What the next connection has to know. */
type Position = { lastId: string | undefined; pauseMs: number; failures: number; hasBeenConnected: boolean };

export async function* followEvents(options: FollowOptions): AsyncGenerator<ServerEvent, void, void> {
  const { signal, random = Math.random } = options;
  const position: Position = {
    lastId: options.lastEventId,
    pauseMs: firstPauseMs,
    failures: 0,
    hasBeenConnected: false,
  };
  while (!signal?.aborted) {
    let reason: Error;
    try {
      yield* readConnection(options, position);
      reason = new TransportError('unreachable', 'the server closed the stream');
    } catch (error) {
      if (signal?.aborted) return;
      if (!mayPass(error, position)) throw error;
      reason = error;
    }
    const backoffMs = Math.min(longestPauseMs, position.pauseMs * 2 ** position.failures);
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

async function* readConnection(options: FollowOptions, position: Position): AsyncGenerator<ServerEvent, void, void> {
  const silence = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, silence.signal]) : silence.signal;
  const query = position.lastId === undefined ? {} : { lastEventId: position.lastId };
  const response = await options.client.open(connectEvents, { query, signal });
  const silenceMs = options.silenceMs ?? defaultSilenceMs;
  const startTimer = () => setTimeout(() => silence.abort(), silenceMs);
  let timer = startTimer();
  try {
    for await (const text of readTexts(response)) {
      clearTimeout(timer);
      yield* readMessages(text, position);
      timer = startTimer();
    }
  } catch (error) {
    if (silence.signal.aborted)
      throw new TransportError('timed-out', `nothing came for ${silenceMs / 1000} s, not even a heartbeat`, error);
    throw error;
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

type Piece = { readonly parser: SseParser; readonly text: string };

async function* readTexts(response: Response): AsyncGenerator<Piece, void, void> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
    await response.body?.cancel();
    throw new TransportError('not-recordproof', 'the answer is not an event stream');
  }
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await readOrFail(reader);
    if (done) return;
    yield { parser, text: decoder.decode(value, { stream: true }) };
  }
}

async function readOrFail(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (cause) {
    throw new TransportError('unreachable', 'the stream broke off', cause);
  }
}

function* readMessages({ parser, text }: Piece, position: Position): Generator<ServerEvent, void, void> {
  for (const { data, id, retryMs } of parser.feed(text)) {
    if (retryMs !== undefined) position.pauseMs = retryMs;
    const message = parseStreamMessage(data, id);
    if (message?.type === 'disconnected' && finalReasons.includes(message.payload.reason))
      throw new StreamEnded(message.payload.reason);
    // The server's own word, also where it had to go back behind what we knew.
    if (message?.type === 'connected') {
      position.hasBeenConnected = true;
      position.failures = 0;
    } else if (id !== undefined && Number(id) <= Number(position.lastId)) continue;
    if (id !== undefined) position.lastId = id;
    if (message && message.type !== 'heartbeat' && message.type !== 'disconnected') yield message;
  }
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
