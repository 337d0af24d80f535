// The newest completed census: lists and marks refer to it.
import type { Client } from '@recordproof/shared/api/client.ts';
import { getSweepStatus } from '@recordproof/shared/api/sweep.ts';
import { Fixable } from '../platform/fixable.ts';

export async function newestCensusId(client: Client): Promise<string> {
  const { census } = await client.call(getSweepStatus);
  if (census?.state !== 'COMPLETED')
    throw new Fixable('refused', 'there is no completed census; take one with: recordproof admin sweep census');
  return census.censusId;
}
