// What the gateway asks, whichever chain is behind it.
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';

export type RootOnChain = {
  readonly batchNo: string;
  readonly merkleRoot: string;
  readonly transactionHash: string;
  readonly blockNumber: number;
};

/** The chain did not answer, or what it answered cannot be believed. */
export class SourceUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SourceUnavailable';
  }
}

export type RootSource = {
  /** Throws SourceUnavailable. */
  identity(): Promise<ChainIdentity>;
  /** Null when nothing of this batch stands on the chain for good. Throws SourceUnavailable. */
  findRoot(batchNo: string): Promise<RootOnChain | null>;
};
