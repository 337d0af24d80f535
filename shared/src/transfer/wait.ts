// Waits requested by the server: no request before the time, and not counted as a failure.
import type { Client } from '../api/client.ts';
import type { AnyEndpoint } from '../api/endpoint.ts';
import { ApiError } from '../api/errors.ts';
import type { Clock } from './ports.ts';

export type Wait = {
  /** `rate-limit`: the rate limit per minute is exceeded. `busy`: the server is overloaded. */
  readonly why: 'rate-limit' | 'busy';
  readonly seconds: number;
  readonly perMinute: number | undefined;
};

/** Called before each wait. */
export type OnWait = (wait: Wait) => void;

/** A longer wait cannot be a rate limit per minute: it is an error. */
export const maxWaitSeconds = 600;

/** The wait requested by the server, if the error contains one. */
export function toWait(error: unknown): Wait | undefined {
  if (!(error instanceof ApiError) || error.retryAfterSeconds === undefined) return undefined;
  const { status, retryAfterSeconds: seconds, rateLimit: perMinute } = error;
  if (seconds > maxWaitSeconds) return undefined;
  if (status === 429) return { why: 'rate-limit', seconds, perMinute };
  return status === 503 ? { why: 'busy', seconds, perMinute: undefined } : undefined;
}

type WaitOptions = {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly onWait?: OnWait | undefined;
};

/** Jitter, so that waiting clients do not all return at the same time. */
const spreadMs = 500;

export async function waitOut(wait: Wait, { clock, signal, onWait }: WaitOptions): Promise<void> {
  // The listener may abort at once, so the sleep must be started before.
  const slept = clock.sleep(wait.seconds * 1000 + spreadMs * clock.random(), signal);
  onWait?.(wait);
  await slept;
}

/** A rate-limited call was not executed; on a busy server only reads are certainly harmless. */
const mayRepeat = ({ why }: Wait, { method }: AnyEndpoint): boolean => why === 'rate-limit' || method === 'GET';

const maxBusyTries = 20;

const either = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter(signal => signal !== undefined));

/** The same client, which waits and repeats calls. */
export function openRetryingClient(client: Client, options: WaitOptions): Client {
  async function repeat<T>(endpoint: AnyEndpoint, signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T> {
    for (let busy = 0; ; ) {
      try {
        return await send();
      } catch (error) {
        const wait = toWait(error);
        if (wait?.why === 'busy') busy += 1;
        if (!wait || !mayRepeat(wait, endpoint) || busy >= maxBusyTries) throw error;
        await waitOut(wait, { ...options, signal: either(options.signal, signal) });
      }
    }
  }

  return {
    call: (endpoint, ...input) => repeat(endpoint, input[0]?.signal, () => client.call(endpoint, ...input)),
    open: (endpoint, ...input) => repeat(endpoint, input[0]?.signal, () => client.open(endpoint, ...input)),
  };
}
