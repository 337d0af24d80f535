// How the completion of an upload lives with a chain that is away or takes its time: it is asked again, in growing pauses
// and without end, because what was sent to it may still be taken. Only a refusal counts as a failure.
import { JobLater } from '../../platform/jobs/jobs.ts';
import { ChainError, type ChainRecord, type RecordToWrite } from '../chain/index.ts';
import type { FinalizeData } from './finalize-data.ts';
import type { UploadPorts } from './ports.ts';

const longestPauseSeconds = 15;

/** Throws JobLater where it is to be called again. */
export async function recordPatiently(
  { records, log, clock }: UploadPorts,
  data: FinalizeData,
  record: RecordToWrite,
): Promise<ChainRecord> {
  try {
    return await records.recordFile(record);
  } catch (error) {
    if (!(error instanceof ChainError) || error.failure === 'REFUSED') throw error;
    log.info({ upload: data.uploadId, error: error.message }, 'the record of a file is not on the chain yet');
    throw new JobLater(Math.min(Math.max(1, secondsSince({ clock }, data) / 4), longestPauseSeconds));
  }
}

/** Since the completion was asked for. */
export const secondsSince = ({ clock }: Pick<UploadPorts, 'clock'>, { origin }: FinalizeData): number =>
  (clock.now() - origin.startedAt) / 1000;
