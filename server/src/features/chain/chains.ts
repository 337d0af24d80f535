// The chains of this server: the embedded ledger always, and where batch roots and file records go.
import type { ChainStatus } from '@recordproof/shared/api/chain.ts';
import type { ChainPort } from './chain-port.ts';
import type { FileRecords } from './file-records.ts';
import type { Ledger } from './ledger/ledger.ts';

export type Chains = AsyncDisposable & {
  readonly ledger: Ledger;
  /** Where new batch roots are written. */
  readonly chain: ChainPort;
  /** Where they may stand: roots of before a contract was configured stay on the ledger. */
  readonly all: readonly ChainPort[];
  /** Where files are recorded. */
  readonly records: FileRecords;
  /** Of the chain that batch roots go to. */
  readStatus(): Promise<ChainStatus>;
};
