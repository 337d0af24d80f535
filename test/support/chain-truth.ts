// Reads the chains of a configuration while its server runs, without starting another one.

import type { Config } from '../../server/src/config/config.ts';
import type { ChainPort, RecordedRoot } from '../../server/src/features/chain/chain-port.ts';
import { openEvmChain } from '../../server/src/features/chain/evm/evm-chain.ts';
import { type FileRecords, findLedgerRecord } from '../../server/src/features/chain/index.ts';
import { listEntriesAbout } from '../../server/src/features/chain/ledger/queries.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';

export type ChainTruth = Pick<ChainPort, 'findRoot'> & Pick<FileRecords, 'findRecord'>;

export function openChainTruth({ chain, db: { kind: engine } }: Pick<Config, 'chain' | 'db'>, db: Db): ChainTruth {
  const findRecord: FileRecords['findRecord'] = fileHash => findLedgerRecord(db, fileHash);
  if (chain.kind === 'ledger') return { findRoot: batchNo => findOnLedger(db, batchNo), findRecord };
  const { contract, confirmations } = chain;
  const addresses = { rpcUrl: chain.rpcUrl.reveal(), senderKey: chain.senderKey.reveal(), contract };
  const evm = openEvmChain({ db, engine, clock: systemClock, ...addresses, confirmations, timeoutMs: 0 });
  return {
    findRoot: batchNo => evm.findRoot(batchNo),
    findRecord: async fileHash => (await findRecord(fileHash)) ?? (await evm.findRecord(fileHash)),
  };
}

async function findOnLedger(db: Db, batchNo: string): Promise<RecordedRoot | null> {
  const [row] = await listEntriesAbout(db, 'BATCH_ROOT', [batchNo]);
  if (!row) return null;
  const { merkleRoot } = JSON.parse(row.entry) as { merkleRoot: string };
  return { batchNo, merkleRoot, transactionHash: `0x${row.leaf_hash}`, blockNumber: row.position };
}
