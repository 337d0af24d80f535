// One event, one handler, and what becomes of it when the handler fails. The same for every transport.

import { setTimeout as delay } from 'node:timers/promises';
import { type EventHandler, NotNow, type OutboxEvent, type Retry } from './transport.ts';

export type Outcome =
  | { readonly kind: 'handled' }
  | { readonly kind: 'given-up'; readonly cause: unknown }
  /** The handler asks to wait, or the consumer is being stopped. */
  | { readonly kind: 'not-now' };

export type Handling = {
  readonly handler: EventHandler;
  readonly retry: Retry;
  /** How often the event was handed out before, to somebody who did not finish it. */
  readonly earlierAttempts: number;
  /** Ends the waiting between attempts, not an attempt. */
  readonly signal: AbortSignal;
};

export const handleEvent = async (event: OutboxEvent, handling: Handling): Promise<Outcome> => {
  const { handler, retry, signal } = handling;
  // An event that took others down is still tried here, once.
  for (let attempt = Math.min(handling.earlierAttempts + 1, retry.maxAttempts); ; attempt++) {
    try {
      await handler(event, attempt);
      return { kind: 'handled' };
    } catch (error) {
      if (error instanceof NotNow) return { kind: 'not-now' };
      if (attempt >= retry.maxAttempts) return { kind: 'given-up', cause: error };
    }
    if (!(await waited(delayAfter(attempt, retry), signal))) return { kind: 'not-now' };
  }
};

export const delayAfter = (attempt: number, { firstDelayMs, maxDelayMs }: Retry): number =>
  Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs);

/** False when the signal cut the waiting short. */
export const waited = async (ms: number, signal: AbortSignal): Promise<boolean> => {
  try {
    await delay(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
};
