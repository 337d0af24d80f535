// A single connection of an event stream: eventsource-parser reads its messages as fast as the caller takes them.
// Reconnecting is left to the caller (docs/decisions/0183-eventsource-parser-reads-one-connection.md).
import { createParser } from 'eventsource-parser';
import { TransportError } from './client.ts';

export type SseMessage = {
  readonly data: string;
  /** The id of this message, or of the last one that had any. */
  readonly lastId: string | undefined;
};

type Connection = {
  /** Opens the stream; the signal ends it. */
  connect(ended: AbortSignal): Promise<Response>;
  readonly signal: AbortSignal | undefined;
  readonly silenceMs: number;
};

const maxMessageCharacters = 1024 * 1024;

/** Returns when the server has closed the connection; throws on any other end. */
export async function* readConnection({ connect, signal, silenceMs }: Connection): AsyncGenerator<SseMessage, void> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  const stop = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  const reader = (await toEventStream(await connect(stop))).getReader();
  const cancel = () => void reader.cancel(stop.reason).catch(() => undefined);
  stop.addEventListener('abort', cancel, { once: true });
  const onSilence = () =>
    ended.abort(new TransportError('timed-out', `nothing came for ${silenceMs / 1000} s, not even a heartbeat`));
  const readBlock = async () => {
    const timer = setTimeout(onSilence, silenceMs);
    try {
      return await reader.read();
    } catch (error) {
      stop.throwIfAborted();
      throw toBrokenOff(error);
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const parse = openParser();
    for (let block = await readBlock(); !block.done; block = await readBlock()) yield* parse(block.value);
    stop.throwIfAborted();
  } finally {
    ended.abort();
  }
}

async function toEventStream({ headers, body }: Response): Promise<ReadableStream<Uint8Array>> {
  if (headers.get('content-type')?.startsWith('text/event-stream') && body) return body;
  await body?.cancel();
  throw new TransportError('not-recordproof', 'the answer is not an event stream');
}

const toBrokenOff = (error: unknown): TransportError =>
  new TransportError('unreachable', `the stream broke off: ${error instanceof Error ? error.message : error}`, error);

/** Blocks of bytes → the messages they complete. */
function openParser() {
  const decoder = new TextDecoder();
  const messages: SseMessage[] = [];
  let lastId: string | undefined;
  let overflow: Error | undefined;
  const parser = createParser({
    maxBufferSize: maxMessageCharacters,
    onId: id => {
      lastId = id || undefined;
    },
    onEvent: ({ data }) => messages.push({ data, lastId }),
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded') overflow = error;
    },
  });
  return function* parse(block: Uint8Array): Generator<SseMessage, void> {
    parser.feed(decoder.decode(block, { stream: true }));
    yield* messages.splice(0);
    if (overflow) throw toBrokenOff(overflow);
  };
}
