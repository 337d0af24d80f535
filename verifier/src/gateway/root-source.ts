// Interface of the gateway to a chain or ledger that batch roots are read from.
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';

export type RootOnChain = {
  readonly batchNo: string;
  readonly merkleRoot: string;
  readonly transactionHash: string;
  readonly blockNumber: number;
};

/** The chain did not answer, or its answer could not be verified. */
export class SourceUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SourceUnavailable';
  }
}

export type RootSource = {
  /** Throws SourceUnavailable. */
  identity(): Promise<ChainIdentity>;
  /** Returns null if there is no final entry for this batch. Throws SourceUnavailable. */
  findRoot(batchNo: string): Promise<RootOnChain | null>;
};
