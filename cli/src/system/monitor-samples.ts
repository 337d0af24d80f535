// Samples for the dashboard of the service: from one stream, or by polling where the server offers no stream.
import { type Client, TransportError } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { readConnection } from '@recordproof/shared/api/sse-connection.ts';
import {
  getSystemMonitor,
  parseSystemMonitor,
  type SystemMonitor,
  watchSystemMonitor,
} from '@recordproof/shared/api/system.ts';
import { systemClock } from '@recordproof/shared/transfer/ports.ts';
import { writeMessage } from '../platform/output.ts';

/** The server sends a message at least every twenty seconds. */
const silenceMs = 75_000;

type Sampler = Disposable & {
  /** The next sample, when it is due. */
  read(signal: AbortSignal): Promise<SystemMonitor>;
};

export function openSampler(client: Client, everySeconds: number): Sampler {
  const over = new AbortController();
  let stream: AsyncGenerator<SystemMonitor, void> | undefined;
  let polls = 0;
  const poll = async (signal: AbortSignal): Promise<SystemMonitor> => {
    if (polls > 0) await systemClock.sleep(everySeconds * 1000, signal);
    polls += 1;
    return client.call(getSystemMonitor, { signal });
  };
  const next = async (signal: AbortSignal): Promise<SystemMonitor> => {
    stream ??= readStream(client, everySeconds, over.signal);
    const step = await unlessAborted(stream.next(), signal);
    if (!step.done) return step.value;
    throw new TransportError('unreachable', 'the server closed the stream');
  };
  return {
    async read(signal) {
      if (polls > 0) return poll(signal);
      try {
        return await next(signal);
      } catch (error) {
        stream = undefined;
        if (!isWithoutStream(error)) throw error;
        writeMessage(`this server gives no stream now: it is asked every ${everySeconds} s instead`);
        return poll(signal);
      }
    },
    [Symbol.dispose]: () => over.abort(),
  };
}

/** An older server without the stream, or one with too many open streams. */
const isWithoutStream = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.kind === 'CONFLICT');

async function* readStream(client: Client, everySeconds: number, signal: AbortSignal): AsyncGenerator<SystemMonitor> {
  const query = { everySeconds: String(everySeconds) };
  const connect = (ended: AbortSignal) => client.open(watchSystemMonitor, { query, signal: ended });
  for await (const { data } of readConnection({ connect, signal, silenceMs })) yield parseSystemMonitor(data);
}

/** Rejects when the signal aborts; the promise itself goes on. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
