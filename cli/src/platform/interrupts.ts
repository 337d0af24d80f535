// Ends from outside as abort signals: Ctrl-C, SIGTERM and SIGHUP, of which the second one ends the program at once, as is
// the default; and an output that its reader has closed, as in `recordproof … | head`.
import { CommandError } from './command-error.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForInterrupts(tryThis?: string): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (): void =>
    controller.abort(new CommandError('interrupted', 'interrupted', tryThis === undefined ? {} : { try: tryThis }));
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

const closings = new WeakSet<Error>();

/** Ignores EPIPE of the standard streams; other errors of them are thrown. */
export function watchOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      closings.add(error);
    });
  }
}

/** A closed output is no failure, unlike EPIPE of a connection, which has the same code and syscall. */
export const isClosedOutput = (thrown: unknown): boolean => thrown instanceof Error && closings.has(thrown);
