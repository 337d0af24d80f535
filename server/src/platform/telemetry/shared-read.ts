// Shared reading of a state that callers may poll freely: at most one read runs at a time, its result (or error) is
// cached briefly, and callers wait at most for the timeout. Keeps probes from causing load.
import type { Clock } from '../clock.ts';
import { abortLate } from '../within.ts';

type SharedReadOptions = { readonly clock: Clock; readonly keepMs: number; readonly timeoutMs: number };

export class ReadTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'ReadTimeout';
  }
}

/** A read that ignores its signal blocks the next one for so many timeouts, and is then abandoned. */
const abandonedAfterTimeouts = 5;

export function openSharedRead<T>(
  read: (signal: AbortSignal) => Promise<T> | T,
  { clock, keepMs, timeoutMs }: SharedReadOptions,
): () => Promise<T> {
  let latest: { answer: Promise<T>; startedAt: number; keepUntil: number } | undefined;
  return () => {
    const now = clock.now();
    if (latest && latest.startedAt <= now && now < latest.keepUntil) return latest.answer;
    const readOnce = async (signal: AbortSignal): Promise<T> => {
      try {
        return await read(signal);
      } finally {
        entry.keepUntil = clock.now() + keepMs;
      }
    };
    const entry = { startedAt: now, keepUntil: now + timeoutMs * abandonedAfterTimeouts };
    const answer = abortLate(timeoutMs, () => new ReadTimeout(timeoutMs), readOnce);
    latest = Object.assign(entry, { answer });
    return answer;
  };
}
