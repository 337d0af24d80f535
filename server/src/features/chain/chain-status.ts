// How the chain is doing, as far as it can be asked right now.
import type { ChainStatus } from '@recordproof/shared/api/chain.ts';
import { type Clock, toIsoOrNull } from '../../platform/clock.ts';
import type { Ledger } from './ledger/ledger.ts';
import { findNewestCheckpoint, getLog, listEntries } from './ledger/queries.ts';

/** Longer than this an entry should not wait for its checkpoint. */
const lateMs = 60_000;

export async function readLedgerStatus({ db }: Pick<Ledger, 'db'>, clock: Clock): Promise<ChainStatus> {
  const { size, published_size: published } = await getLog(db);
  const checkpoint = await findNewestCheckpoint(db);
  const [oldest] = published < size ? await listEntries(db, published, published + 1) : [];
  return {
    blockNumber: Math.max(0, size - 1),
    transactionCount: size,
    failedTransactionCount: 0, // an append either commits or leaves nothing
    nodeCount: 1,
    chainType: 'LOCAL_LEDGER',
    healthy: oldest === undefined || clock.now() - oldest.recorded_at < lateMs,
    lastUpdateTime: toIsoOrNull(checkpoint?.published_at ?? null),
  };
}
