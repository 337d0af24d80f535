// The embedded ledger behind the chain interface: batch roots are ledger entries, and final once a signed checkpoint
// covers them.

import type { ChainStatus } from '@recordproof/shared/api/chain.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { ShapeError } from '@recordproof/shared/evidence/strict-shape.ts';
import { type Clock, toIsoOrNull } from '../../platform/clock.ts';
import { ChainError, type ChainPort, type RecordedRoot } from './chain-port.ts';
import { checkLeafHash } from './ledger/entry-tiles.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { EntryRow } from './ledger/packed-entry.ts';
import { findNewestCheckpoint, getLog, listEntries, listEntriesAbout } from './ledger/queries.ts';

export const openLocalChain = (ledger: Ledger): ChainPort => ({
  identity: async () => ledger.identity,
  findRoot: batchNo => withChainErrors(() => findPublishedRoot(ledger, batchNo)),
  submitRoot: ({ batchNo, merkleRoot, treeSize }) =>
    withChainErrors(async () => {
      const row = await ledger.append({ kind: 'BATCH_ROOT', batchNo, merkleRoot, treeSize });
      await ledger.publish();
      return toRecordedRoot(row);
    }),
});

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

/** Publishes a committed root first if necessary, so that a returned root is permanent. */
async function findPublishedRoot(ledger: Ledger, batchNo: string): Promise<RecordedRoot | null> {
  const [row] = await listEntriesAbout(ledger.db, 'BATCH_ROOT', [batchNo]);
  if (row === undefined) return null;
  await ledger.publishUpTo(row.position);
  return toRecordedRoot(row);
}

/** Rejects an entry that was changed in the database. */
function toRecordedRoot(row: EntryRow): RecordedRoot {
  checkLeafHash(row);
  const entry = parseLedgerEntry(toUtf8(row.entry));
  if (entry.kind !== 'BATCH_ROOT') throw new ChainError('REFUSED', `entry ${row.position} is no batch root`);
  const { batchNo, merkleRoot } = entry;
  return { batchNo, merkleRoot, transactionHash: `0x${row.leaf_hash}`, blockNumber: row.position };
}

/** Maps errors: database or objects unreachable, or an invalid entry. */
async function withChainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChainError) throw error;
    if (error instanceof ShapeError) throw new ChainError('REFUSED', 'the ledger rejected this entry', error);
    throw new ChainError('UNREACHABLE', 'the ledger did not answer', error);
  }
}
