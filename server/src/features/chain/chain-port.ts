// Interface of attestation to a chain: the embedded ledger, or a contract on an EVM node.
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import type { NewLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';

export type EntryKind = NewLedgerEntry['kind'];
/** The entries that a contract accepts. */
export type NewContractEntry = Extract<NewLedgerEntry, { kind: 'FILE_RECORD' | 'BATCH_ROOT' }>;

export type BatchRoot = {
  /** `MB-<id>`: one root per batch, permanently. */
  readonly batchNo: string;
  /** 64 lowercase hex digits. */
  readonly merkleRoot: string;
};

/** What is written for a batch; the number of leaves is part of the public record. */
export type RootToSubmit = BatchRoot & { readonly treeSize: number };

export type RecordedRoot = BatchRoot & {
  /** 0x and 64 lowercase hex digits. */
  readonly transactionHash: string;
  readonly blockNumber: number;
};

export type ChainFailure = 'UNREACHABLE' | 'TIMEOUT' | 'REFUSED';

/** Unless the failure is REFUSED, it is unknown whether a write took effect: query before writing again. */
export class ChainError extends Error {
  readonly failure: ChainFailure;

  constructor(failure: ChainFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ChainError';
    this.failure = failure;
  }
}

export type ChainPort = {
  /** Chain, group and contract, as stated in every receipt. */
  identity(): Promise<ChainIdentity>;

  /** The final entry of this batch on the chain; null if there is none. Throws ChainError. */
  findRoot(batchNo: string): Promise<RecordedRoot | null>;

  /**
   * Writes the root and resolves once it is final. A batch that already exists, with any root, is returned unchanged:
   * the caller compares. Throws ChainError.
   */
  submitRoot(root: RootToSubmit): Promise<RecordedRoot>;
};
