// Ctrl-C, SIGTERM and SIGHUP as an abort signal. The second one ends the program at once, as is the default.
import { Fixable } from './fixable.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForInterrupts(tryThis?: string): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (): void =>
    controller.abort(new Fixable('interrupted', 'interrupted', tryThis === undefined ? {} : { try: tryThis }));
  for (const name of signals) process.once(name, stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of signals) process.off(name, stop);
    },
  };
}

/** Aborted when the reader closes the output, as in `… | head`. */
export function listenForClosedOutput(): AbortSignal {
  const closed = new AbortController();
  process.stdout.once('error', () => closed.abort());
  return closed.signal;
}
