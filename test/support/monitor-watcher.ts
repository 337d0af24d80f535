// A client of the monitor stream.
import { readConnection } from '@recordproof/shared/api/sse-connection.ts';
import { parseSystemMonitor, type SystemMonitor, watchSystemMonitor } from '@recordproof/shared/api/system.ts';
import type { Person } from './app.ts';

export type Watcher = Disposable & {
  /** Undefined once the server has closed the stream. */
  next(): Promise<SystemMonitor | undefined>;
};

/** Has received the first sample already. */
export async function watchSystem(person: Person, everySeconds = 1): Promise<Watcher & { first: SystemMonitor }> {
  const leaving = new AbortController();
  const query = { everySeconds: String(everySeconds) };
  const messages = readConnection({
    connect: signal => person.client.open(watchSystemMonitor, { query, signal }),
    signal: leaving.signal,
    silenceMs: 60_000,
  });
  const next = async () => {
    const step = await messages.next();
    return step.done ? undefined : parseSystemMonitor(step.value.data);
  };
  const first = await next();
  if (first === undefined) throw new Error('the stream ended before its first look');
  return { first, next, [Symbol.dispose]: () => leaving.abort() };
}
