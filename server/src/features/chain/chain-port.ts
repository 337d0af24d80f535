// What attestation asks of a chain, whichever it is: the embedded ledger, or a contract on an EVM node.
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';

export type BatchRoot = {
  /** `MB-<id>`: one root per batch, for ever. */
  readonly batchNo: string;
  /** 64 lowercase hex digits. */
  readonly merkleRoot: string;
};

/** What is written of a batch; how many leaves the tree has is part of the public record. */
export type RootToSubmit = BatchRoot & { readonly treeSize: number };

export type RecordedRoot = BatchRoot & {
  /** 0x and 64 lowercase hex digits. */
  readonly transactionHash: string;
  readonly blockNumber: number;
};

export type ChainFailure = 'UNREACHABLE' | 'TIMEOUT' | 'REFUSED';

/** Whether a write took effect is unknown unless the failure is REFUSED: ask before writing again. */
export class ChainError extends Error {
  readonly failure: ChainFailure;

  constructor(failure: ChainFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ChainError';
    this.failure = failure;
  }
}

export type ChainPort = {
  /** Which chain, group and contract: stands in every receipt. */
  identity(): Promise<ChainIdentity>;

  /** What stands on the chain for this batch, settled for good; null when nothing does. Throws ChainError. */
  findRoot(batchNo: string): Promise<RecordedRoot | null>;

  /**
   * Writes the root and resolves once it is settled. A batch that is there already, with whatever root, is answered as it
   * is: the caller compares. Throws ChainError.
   */
  submitRoot(root: RootToSubmit): Promise<RecordedRoot>;
};
