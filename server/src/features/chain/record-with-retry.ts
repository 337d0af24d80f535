// Retries of sagas against a chain that is unreachable or slow: with growing pauses and without limit, because what was
// sent may still be accepted. Only a refusal is a failure. A request waits for a short time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Key, Time } from '../../platform/db/tables.ts';
import { growingPauseSeconds, JobReschedule } from '../../platform/jobs/jobs.ts';
import type { SagaState } from '../../platform/saga/saga.ts';
import type { Server } from '../../platform/server.ts';
import { ChainError } from './chain-port.ts';
import type { ChainRecord, RecordToWrite } from './file-records.ts';

/** `since`: when the file was requested. Throws JobReschedule to be called again. */
export async function recordWithRetry(
  { records, log, clock }: Pick<Server, 'records' | 'log' | 'clock'>,
  record: RecordToWrite,
  since: Time,
): Promise<ChainRecord> {
  try {
    return await records.recordFile(record);
  } catch (error) {
    if (!(error instanceof ChainError) || error.failure === 'REFUSED') throw error;
    log.info({ fileHash: record.fileHash, error: error.message }, 'the record of a file is not on the chain yet');
    throw new JobReschedule(growingPauseSeconds(clock.now() - since));
  }
}

/** Some chains are slow; a request waits this long, and the saga continues without it. */
const maxWaitMs = 15_000;
const pollEveryMs = 500;

/** As `runNow`, including the recording step if it is fast enough. */
export async function runThroughRecording(
  { sagas }: Pick<Server, 'sagas'>,
  sagaId: Key,
  recordStep: string,
  signal: AbortSignal,
): Promise<SagaState> {
  const until = performance.now() + maxWaitMs;
  let state = await sagas.runNow(sagaId, signal);
  while (state.status === 'RUNNING' && state.step === recordStep && performance.now() < until) {
    await sleep(pollEveryMs, undefined, { signal });
    state = await sagas.runNow(sagaId, signal);
  }
  return state;
}

const longestRetrySeconds = 60;

/** Grows with the time waited, so that a client needs few retries over minutes. */
export const toRetrySeconds = (since: Time, now: Time): number =>
  Math.min(Math.max(2, Math.round((now - since) / 1000)), longestRetrySeconds);
