// Status of the chain, as far as it can be queried now.
import type { ChainStatus } from '@recordproof/shared/api/chain.ts';
import { type Clock, toIsoOrNull } from '../../platform/clock.ts';
import type { Ledger } from './ledger/ledger.ts';
import { findNewestCheckpoint, getLog, listEntries } from './ledger/queries.ts';

/** An entry that waits longer for its checkpoint is late. */
const lateMs = 60_000;

export async function readLedgerStatus({ db }: Pick<Ledger, 'db'>, clock: Clock): Promise<ChainStatus> {
  const { size, published_size: published } = await getLog(db);
  const checkpoint = await findNewestCheckpoint(db);
  const [oldest] = published < size ? await listEntries(db, published, published + 1) : [];
  return {
    blockNumber: Math.max(0, size - 1),
    transactionCount: size,
    failedTransactionCount: 0, // an append is atomic: it commits or leaves nothing
    nodeCount: 1,
    chainType: 'LOCAL_LEDGER',
    healthy: oldest === undefined || clock.now() - oldest.recorded_at < lateMs,
    lastUpdateTime: toIsoOrNull(checkpoint?.published_at ?? null),
  };
}
