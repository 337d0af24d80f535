// One connection of an event stream, read by the package eventsource. Whether and when there is a next one is not decided
// here (docs/decisions/0183-eventsource-reads-one-connection.md).
import { EventSource } from 'eventsource';
import { TransportError } from './client.ts';

export type SseMessage = {
  readonly data: string;
  /** That of this message, or of the last one that had any. */
  readonly lastId: string | undefined;
};

type Connection = {
  /** Asks for the stream; the signal ends it. */
  connect(ended: AbortSignal): Promise<Response>;
  readonly signal: AbortSignal | undefined;
  readonly silenceMs: number;
};

const maxMessageCharacters = 1024 * 1024;
/** As many messages wait for a slow reader; then the connection does. */
const maxWaitingMessages = 64;
/** eventsource wants an address; which it really is, `connect` knows. */
const someAddress = 'http://the.server.invalid/';

type Ending = { readonly error?: unknown };

/** Over when the server has closed the connection; throws what else ended it. */
export async function* readConnection(connection: Connection): AsyncGenerator<SseMessage, void, void> {
  const { signal, silenceMs } = connection;
  signal?.throwIfAborted();
  const room = { highWaterMark: maxWaitingMessages };
  const { readable, writable } = new TransformStream<SseMessage, SseMessage>({}, room);
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  let ending: Ending | undefined;
  const end = (how: Ending): void => {
    if (ending) return;
    ending = how;
    silence.end();
    source.close();
    writer.close().catch(() => undefined);
  };
  const silence = openSilence(silenceMs, error => end({ error }));
  const source = openSource(connection, { end, silence, hasRoom: () => writer.ready });
  source.onmessage = ({ data, lastEventId }) =>
    void writer.write({ data: String(data), lastId: lastEventId || undefined }).catch(() => undefined);
  const stop = () => end({ error: signal?.reason });
  signal?.addEventListener('abort', stop);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    signal?.removeEventListener('abort', stop);
    end({});
  }
  throwIfFailed(ending);
}

function throwIfFailed(ending: Ending | undefined): void {
  if (ending?.error !== undefined) throw ending.error;
}

type Hands = {
  end(how: Ending): void;
  readonly silence: Silence;
  hasRoom(): Promise<unknown>;
};

function openSource({ connect }: Connection, { end, silence, hasRoom }: Hands): EventSource {
  const source = new EventSource(someAddress, {
    maxBufferSize: maxMessageCharacters,
    fetch: async (_address, { signal }) => {
      try {
        return toPatientResponse(await refuseOthers(await connect(signal)), silence, hasRoom);
      } catch (error) {
        end({ error });
        throw error;
      }
    },
  });
  // It would connect again by itself, at the same pace however long the server is away.
  source.onerror = ({ message }) =>
    end(message === undefined ? {} : { error: new TransportError('unreachable', `the stream broke off: ${message}`) });
  return source;
}

async function refuseOthers(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) return response;
  await response.body?.cancel();
  throw new TransportError('not-recordproof', 'the answer is not an event stream');
}

type Silence = { start(): void; stop(): void; end(): void };

function openSilence(milliseconds: number, onTooLong: (error: TransportError) => void): Silence {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const tell = () =>
    onTooLong(new TransportError('timed-out', `nothing came for ${milliseconds / 1000} s, not even a heartbeat`));
  const stop = () => clearTimeout(timer);
  return {
    start() {
      stop();
      if (!isOver) timer = setTimeout(tell, milliseconds);
    },
    stop,
    end() {
      isOver = true;
      stop();
    },
  };
}

/** The same answer, read only as fast as somebody takes its messages. */
function toPatientResponse(response: Response, silence: Silence, hasRoom: Hands['hasRoom']): Response {
  silence.start();
  const paced = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    async transform(block, onward) {
      silence.stop();
      await hasRoom();
      silence.start();
      onward.enqueue(block);
    },
  });
  const { status, headers } = response;
  return new Response(response.body?.pipeThrough(paced) ?? null, { status, headers });
}
