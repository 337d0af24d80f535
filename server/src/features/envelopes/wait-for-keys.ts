// Retries of sagas while a key service fails: the step is repeated with growing pauses and without limit, because all
// received bytes are stored already. The saga records the waiting step, for requests about it.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { KeyProviderError } from '../../platform/crypto/envelope.ts';
import type { Time } from '../../platform/db/tables.ts';
import { growingPauseSeconds, JobReschedule } from '../../platform/jobs/jobs.ts';
import type { SagaRun, SagaState } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';

/** The part of a saga's data that names the waiting step. */
export type KeyWait = { readonly waitsForKeysAt?: string };

type Step = { readonly name: string; readonly since: Time };

/** `since`: when the request arrived. Throws JobReschedule to repeat the step. */
export async function waitForKeys<T>(
  { database, clock, log }: Pick<Server, 'database' | 'clock' | 'log'>,
  run: Pick<SagaRun<KeyWait>, 'id' | 'save'>,
  { name, since }: Step,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KeyProviderError) || !error.isOutage) throw error;
    log.warn({ saga: run.id, step: name, err: error }, 'a saga waits for the key service');
    await database.db.transaction().execute(tx => run.save(tx, { waitsForKeysAt: name }));
    throw new JobReschedule(growingPauseSeconds(clock.now() - since));
  }
}

/** Throws if the saga waits for the key service. `what` is being completed, such as "the upload". */
export function assertKeysAnswer({ step, data }: SagaState, what: string, retryAfterSeconds: number): void {
  if (step === null || (data as KeyWait).waitsForKeysAt !== step) return;
  const message = `the key service is out of order; ${what} is completed when it works again, ask again`;
  // The cause limits this to one warning a minute in the log, because clients retry.
  const cause = new KeyProviderError('UNAVAILABLE', `a saga waits for the key service at its step "${step}"`);
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds });
}
