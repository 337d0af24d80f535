// How a saga lives with a chain that is away or takes its time: it is asked again, in growing pauses and without end,
// because what was sent to it may still be taken. Only a refusal counts as a failure.
import type { Clock } from '../../platform/clock.ts';
import type { Time } from '../../platform/db/tables.ts';
import { JobLater } from '../../platform/jobs/jobs.ts';
import type { Log } from '../../platform/telemetry/log.ts';
import { ChainError } from './chain-port.ts';
import type { ChainRecord, FileRecords, RecordToWrite } from './file-records.ts';

const longestPauseSeconds = 15;

type Ports = { readonly records: Pick<FileRecords, 'recordFile'>; readonly log: Log; readonly clock: Clock };

/** `since`: when the file was asked for. Throws JobLater where it is to be called again. */
export async function recordPatiently(
  { records, log, clock }: Ports,
  record: RecordToWrite,
  since: Time,
): Promise<ChainRecord> {
  try {
    return await records.recordFile(record);
  } catch (error) {
    if (!(error instanceof ChainError) || error.failure === 'REFUSED') throw error;
    log.info({ fileHash: record.fileHash, error: error.message }, 'the record of a file is not on the chain yet');
    const waitedSeconds = (clock.now() - since) / 1000;
    throw new JobLater(Math.min(Math.max(1, waitedSeconds / 4), longestPauseSeconds));
  }
}
