// A reading of some state that anybody may ask for as often as they like: at most one runs at a time, its answer (or
// its failure) is kept for a moment, and nobody waits longer than the limit. Keeps probes from becoming a load.
import type { Clock } from '../clock.ts';

type SharedReadOptions = { readonly clock: Clock; readonly keepMs: number; readonly timeoutMs: number };

export class ReadTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'ReadTimeout';
  }
}

/** A reading that ignores its signal holds back the next one for so many time limits, then it is given up. */
const patience = 5;

export function openSharedRead<T>(
  read: (signal: AbortSignal) => Promise<T> | T,
  { clock, keepMs, timeoutMs }: SharedReadOptions,
): () => Promise<T> {
  let latest: { answer: Promise<T>; startedAt: number; keepUntil: number } | undefined;
  return () => {
    const now = clock.now();
    if (latest && latest.startedAt <= now && now < latest.keepUntil) return latest.answer;
    const controller = new AbortController();
    const reading = (async () => read(controller.signal))();
    const entry = {
      answer: inTime(reading, timeoutMs, controller),
      startedAt: now,
      keepUntil: now + timeoutMs * patience,
    };
    const settle = () => {
      entry.keepUntil = clock.now() + keepMs;
    };
    reading.then(settle, settle);
    latest = entry;
    return entry.answer;
  };
}

async function inTime<T>(reading: Promise<T>, timeoutMs: number, controller: AbortController): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new ReadTimeout(timeoutMs);
    late.reject(error);
    controller.abort(error);
  }, timeoutMs);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
