// How a saga lives with a chain that is away or takes its time: it is asked again, in growing pauses and without end,
// because what was sent to it may still be taken. Only a refusal counts as a failure. A request waits a little for that.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Key, Time } from '../../platform/db/tables.ts';
import { growingPauseSeconds, JobLater } from '../../platform/jobs/jobs.ts';
import type { SagaState } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';
import { ChainError } from './chain-port.ts';
import type { ChainRecord, RecordToWrite } from './file-records.ts';

/** `since`: when the file was asked for. Throws JobLater where it is to be called again. */
export async function recordPatiently(
  { records, log, clock }: Pick<Server, 'records' | 'log' | 'clock'>,
  record: RecordToWrite,
  since: Time,
): Promise<ChainRecord> {
  try {
    return await records.recordFile(record);
  } catch (error) {
    if (!(error instanceof ChainError) || error.failure === 'REFUSED') throw error;
    log.info({ fileHash: record.fileHash, error: error.message }, 'the record of a file is not on the chain yet');
    throw new JobLater(growingPauseSeconds(clock.now() - since));
  }
}

/** Some chains take a while; a request waits for that so long, and the saga goes on without it. */
const patienceMs = 15_000;
const lookEveryMs = 500;

/** As `runNow`, and past the step that records, if that does not take too long. */
export async function runPastChain(
  { sagas }: Pick<Server, 'sagas'>,
  sagaId: Key,
  recordStep: string,
  signal: AbortSignal,
): Promise<SagaState> {
  const until = performance.now() + patienceMs;
  let state = await sagas.runNow(sagaId, signal);
  while (state.status === 'RUNNING' && state.step === recordStep && performance.now() < until) {
    await sleep(lookEveryMs, undefined, { signal });
    state = await sagas.runNow(sagaId, signal);
  }
  return state;
}

const longestRetrySeconds = 60;

/** Whoever has waited long is told to wait longer: a patient client sees minutes through in a few tries. */
export const toRetrySeconds = (since: Time, now: Time): number =>
  Math.min(Math.max(2, Math.round((now - since) / 1000)), longestRetrySeconds);
