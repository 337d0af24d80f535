// How a saga lives with a key service that is out of order: the step is run again, in growing pauses and without end,
// because all that was sent is stored already. The saga notes the step that waits, for requests that ask about it.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { KeyProviderError } from '../../platform/crypto/envelope.ts';
import type { Time } from '../../platform/db/tables.ts';
import { growingPauseSeconds, JobLater } from '../../platform/jobs/jobs.ts';
import type { SagaRun, SagaState } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';

/** The part of a saga's data that says which step waits. */
export type KeyWait = { readonly waitsForKeysAt?: string };

type Step = { readonly name: string; readonly since: Time };

/** `since`: when the request arrived. Throws JobLater where the step has to be run again. */
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
    throw new JobLater(growingPauseSeconds(clock.now() - since));
  }
}

/** Throws where the saga waits for the key service. `what` is being completed, such as "the upload". */
export function assertKeysAnswer({ step, data }: SagaState, what: string, retryAfterSeconds: number): void {
  if (step === null || (data as KeyWait).waitsForKeysAt !== step) return;
  const message = `the key service is out of order; ${what} is completed when it works again, ask again`;
  // The cause makes it one warning a minute in the log: clients ask again and again.
  const cause = new KeyProviderError('UNAVAILABLE', `a saga waits for it at ${step}`);
  throw new ApiError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds });
}
