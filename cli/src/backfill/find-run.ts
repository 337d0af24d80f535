// Which run is meant: the one that is named, or else the newest; and the scan that another run starts from.
import { string as argument } from '@oclif/core/args';
import { type BackfillRun, getBackfill, listBackfills } from '@recordproof/shared/api/backfill.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { parseField } from '../platform/fields.ts';
import { Fixable } from '../platform/fixable.ts';

export const runArgument = { run: argument({ description: 'Number of the run; the newest without it.' }) };
export const scanArgument = {
  scan: argument({ description: 'Number of the scan; the newest that is ready without it.' }),
};

const noneYet = (what: string) =>
  new Fixable('refused', `there is no ${what} yet`, { try: 'recordproof admin backfill scan --watch' });

export async function findRunId(client: Client, given: string | undefined): Promise<string> {
  if (given !== undefined) return parseField('Run', recordId, given);
  const [newest] = (await client.call(listBackfills, { query: { limit: '1' } })).records;
  if (newest === undefined) throw noneYet('run');
  return newest.runId;
}

export async function findScan(client: Client, given: string | undefined): Promise<BackfillRun> {
  if (given !== undefined) return client.call(getBackfill, { params: { runId: parseField('Scan', recordId, given) } });
  const { records } = await client.call(listBackfills, { query: { limit: '100' } });
  const scan = records.find(({ status }) => status === 'SNAPSHOT_READY');
  if (scan === undefined) throw noneYet('scan that is ready');
  return scan;
}

const over: ReadonlySet<BackfillRun['status']> = new Set(['SNAPSHOT_READY', 'COMPLETED', 'FAILED']);

export const isOver = ({ status }: BackfillRun): boolean => over.has(status);

/** A run that ended with anything that failed ends the program as something that was refused. */
export const endingOf = (run: BackfillRun): 'ok' | 'refused' =>
  isOver(run) && (run.status === 'FAILED' || run.failedCount > 0) ? 'refused' : 'ok';

export const readRun =
  (client: Client, runId: string) =>
  (signal: AbortSignal): Promise<BackfillRun> =>
    client.call(getBackfill, { params: { runId }, signal });
