// Where a server says for how long it will not answer, it is obeyed: no request before that time, and no failure for it.
import type { Client } from '../api/client.ts';
import type { AnyEndpoint } from '../api/endpoint.ts';
import { ApiError } from '../api/errors.ts';
import type { Clock } from './ports.ts';

export type Wait = {
  /** `allowance`: so many calls a minute were used up. `busy`: the server cannot take more at the moment. */
  readonly why: 'allowance' | 'busy';
  readonly seconds: number;
  readonly perMinute: number | undefined;
};

/** Told before each wait. */
export type OnWait = (wait: Wait) => void;

/** Longer than this is no minute that was full: then it is an error. */
export const maxWaitSeconds = 600;

/** How long the server has asked for, if that is what the error says. */
export function toWait(error: unknown): Wait | undefined {
  if (!(error instanceof ApiError) || error.retryAfterSeconds === undefined) return undefined;
  const { status, retryAfterSeconds: seconds, allowance: perMinute } = error;
  if (seconds > maxWaitSeconds) return undefined;
  if (status === 429) return { why: 'allowance', seconds, perMinute };
  return status === 503 ? { why: 'busy', seconds, perMinute: undefined } : undefined;
}

type Patience = {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly onWait?: OnWait | undefined;
};

/** So that those who wait for the same minute do not all come back in the same moment. */
const spreadMs = 500;

export async function waitOut(wait: Wait, { clock, signal, onWait }: Patience): Promise<void> {
  // Whoever reads what is told may stop it at once: by then it must be listening.
  const slept = clock.sleep(wait.seconds * 1000 + spreadMs * clock.random(), signal);
  onWait?.(wait);
  await slept;
}

/** A call over the allowance was not carried out; of one that met a busy server only reading is sure to be harmless. */
const mayRepeat = ({ why }: Wait, { method }: AnyEndpoint): boolean => why === 'allowance' || method === 'GET';

const maxBusyTries = 20;

const either = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter(signal => signal !== undefined));

/** The same client, which waits and calls again. */
export function openPatientClient(client: Client, patience: Patience): Client {
  async function repeat<T>(endpoint: AnyEndpoint, signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T> {
    for (let busy = 0; ; ) {
      try {
        return await send();
      } catch (error) {
        const wait = toWait(error);
        if (wait?.why === 'busy') busy += 1;
        if (!wait || !mayRepeat(wait, endpoint) || busy >= maxBusyTries) throw error;
        await waitOut(wait, { ...patience, signal: either(patience.signal, signal) });
      }
    }
  }

  return {
    call: (endpoint, ...input) => repeat(endpoint, input[0]?.signal, () => client.call(endpoint, ...input)),
    open: (endpoint, ...input) => repeat(endpoint, input[0]?.signal, () => client.open(endpoint, ...input)),
  };
}
