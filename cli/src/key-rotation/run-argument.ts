// Which run is meant: the one that is named, or else the newest.
import { string as argument } from '@oclif/core/args';
import type { Client } from '@recordproof/shared/api/client.ts';
import { recordId } from '@recordproof/shared/api/common.ts';
import { type KeyRotationRun, listKeyRotations } from '@recordproof/shared/api/key-rotation.ts';
import { parseField } from '../platform/fields.ts';
import { Fixable } from '../platform/fixable.ts';

export const runArgument = { run: argument({ description: 'Number of the run; the newest without it.' }) };

export async function findRunId(client: Client, given: string | undefined): Promise<string> {
  if (given !== undefined) return parseField('Run', recordId, given);
  const { records } = await client.call(listKeyRotations, { query: { limit: '1' } });
  const [newest] = records;
  if (newest === undefined)
    throw new Fixable('refused', 'there is no run yet', { try: 'recordproof admin key-rotation plan' });
  return newest.runId;
}

const over: ReadonlySet<KeyRotationRun['status']> = new Set([
  'CANCELLED',
  'COMPLETED',
  'COMPLETED_WITH_FAILURES',
  'FAILED',
]);

export const isOver = ({ status }: KeyRotationRun): boolean => over.has(status);

/** A run that is over without having done all of it ends the program as something that was refused. */
export const endingOf = (run: KeyRotationRun): 'ok' | 'refused' =>
  isOver(run) && run.status !== 'COMPLETED' ? 'refused' : 'ok';
