// Polling loop for dashboards and line output. Outages are reported and retried; permanent errors end the loop.
import { type Clock, systemClock } from '@recordproof/shared/transfer/ports.ts';
import { toFailure } from '../failure.ts';
import { printable } from '../output.ts';

export type Poll<T> =
  | { readonly kind: 'seen'; readonly value: T }
  | { readonly kind: 'lost'; readonly message: string; readonly pauseMs: number };

/** The message while the server is unavailable. */
export const lostText = ({ message, pauseMs }: { readonly message: string; readonly pauseMs: number }): string =>
  `${printable(message)}; trying again in ${Math.ceil(pauseMs / 1000)} s`;

/** Ends a pause early: the result of a key shows at once. */
type WakeUp = {
  trigger(): void;
  /** Ends at the given time, or when `trigger` is called. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
};

export function openWakeUp(clock: Clock = systemClock): WakeUp {
  let pause = new AbortController();
  return {
    trigger: () => pause.abort(),
    async wait(milliseconds, signal) {
      pause = new AbortController();
      await clock.sleep(milliseconds, AbortSignal.any([pause.signal, signal])).catch(error => {
        if (signal.aborted) throw error;
      });
    },
  };
}

type Following<T> = {
  read(signal: AbortSignal): Promise<T>;
  readonly everyMs: number;
  readonly signal: AbortSignal;
  readonly wakeUp?: WakeUp;
};

const longestPauseMs = 15_000;

export const isOutage = (error: unknown): boolean => ['unreachable', 'later'].includes(toFailure(error, '').ending);

/**
 * Endless, unless the user quits. If no connection has succeeded yet, the error is thrown: the address is more likely
 * wrong.
 */
export async function* follow<T>({
  read,
  everyMs,
  signal,
  wakeUp = openWakeUp(),
}: Following<T>): AsyncGenerator<Poll<T>> {
  let wasThere = false;
  for (let misses = 0; ; ) {
    signal.throwIfAborted();
    let poll: Poll<T>;
    try {
      poll = { kind: 'seen', value: await read(signal) };
      wasThere = true;
      misses = 0;
    } catch (error) {
      signal.throwIfAborted();
      if (!wasThere || !isOutage(error)) throw error;
      misses += 1;
      const pauseMs = Math.max(everyMs, Math.min(longestPauseMs, 1000 * 2 ** Math.min(misses, 10)));
      poll = { kind: 'lost', message: toFailure(error, '').message, pauseMs };
    }
    yield poll;
    await wakeUp.wait(poll.kind === 'seen' ? everyMs : poll.pauseMs, signal);
  }
}
