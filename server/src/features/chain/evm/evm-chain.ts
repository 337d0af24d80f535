// An EVM chain behind the chain interface: roots and file records are stored in the anchor contract, and count after a
// number of confirmations.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainStatus } from '@recordproof/shared/api/chain.ts';
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { findSettledRecord } from '@recordproof/shared/evidence/evm-records.ts';
import {
  countRecords,
  findSettledRoot,
  parseQuantity,
  readEvmIdentity,
  readHead,
} from '@recordproof/shared/evidence/evm-roots.ts';
import { openRpc, type RpcCall, RpcError } from '@recordproof/shared/evidence/evm-rpc.ts';
import { CircuitOpenError, type Guard, unguarded } from '../../../platform/circuit-breaker.ts';
import { toIso } from '../../../platform/clock.ts';
import type { LockContext } from '../../../platform/lock.ts';
import { Mutex } from '../../../platform/mutex.ts';
import {
  ChainError,
  type ChainPort,
  type NewContractEntry,
  type RecordedRoot,
  type RootToSubmit,
} from '../chain-port.ts';
import { type ChainRecord, type FileRecords, type RecordToWrite, sameAs } from '../file-records.ts';
import { openSigner, type Signer } from './anchor.ts';
import { countTransactions, markSettled } from './queries.ts';
import { aboutOf, ensureSent, isAnchored } from './send-entry.ts';

type EvmOptions = LockContext & {
  readonly rpcUrl: string;
  /** 0x and 40 hex digits. */
  readonly contract: string;
  readonly senderKey: string;
  /** Blocks on top before an entry is final. */
  readonly confirmations: number;
  /** How long a submission waits for finality before its outcome is reported as unknown. */
  readonly timeoutMs: number;
  readonly pollMs?: number;
  readonly rpcTimeoutMs?: number;
  /** Circuit breaker for a failing node. */
  readonly guard?: Guard;
};

export type EvmChain = ChainPort & FileRecords & { readStatus(): Promise<ChainStatus> };

export const openEvmChain = (options: EvmOptions): EvmChain => new AnchorChain(options);

class AnchorChain implements EvmChain {
  readonly #options: EvmOptions;
  readonly #contract: string;
  readonly #rpc: RpcCall;
  readonly #turn = new Mutex();
  #signer: Promise<Signer> | undefined;
  #identity: ChainIdentity | undefined;

  constructor(options: EvmOptions) {
    this.#options = options;
    this.#contract = options.contract.toLowerCase();
    const { rpcUrl: url, rpcTimeoutMs: timeoutMs, guard = unguarded } = options;
    this.#rpc = guarded(openRpc({ url, ...(timeoutMs !== undefined && { timeoutMs }) }), guard);
  }

  identity(): Promise<ChainIdentity> {
    return withChainErrors(async () => {
      this.#identity ??= await readEvmIdentity(this.#rpc, this.#contract);
      return this.#identity;
    });
  }

  findRoot(batchNo: string): Promise<RecordedRoot | null> {
    return withChainErrors(() => this.#findRoot(batchNo));
  }

  submitRoot(root: RootToSubmit): Promise<RecordedRoot> {
    const { timeoutMs } = this.#options;
    return withChainErrors(() =>
      this.#write({ kind: 'BATCH_ROOT', ...root }, () => this.#findRoot(root.batchNo), timeoutMs),
    );
  }

  findRecord(fileHash: string): Promise<ChainRecord | null> {
    return withChainErrors(() => this.#findRecord(fileHash));
  }

  recordFile(record: RecordToWrite): Promise<ChainRecord> {
    const { fileHash, manifestHash } = record;
    const entry = { kind: 'FILE_RECORD', recordId: fileHash, manifestHash } as const;
    return withChainErrors(async () => sameAs(record, await this.#write(entry, () => this.#findRecord(fileHash), 0)));
  }

  async readStatus(): Promise<ChainStatus> {
    const { settled, failed } = await countTransactions(this.#options.db);
    const common = { failedTransactionCount: failed, chainType: 'EVM' } as const;
    try {
      await this.#checkChain();
      const count = await countRecords(this.#rpc, this.#contract);
      const block = await this.#rpc('eth_getBlockByNumber', ['latest', false]);
      const { number, timestamp } = (block ?? {}) as { number?: unknown; timestamp?: unknown };
      return {
        ...common,
        blockNumber: parseQuantity(number, 'block number'),
        transactionCount: count,
        nodeCount: 1,
        healthy: true,
        lastUpdateTime: toIso(parseQuantity(timestamp, 'block time') * 1000),
      };
    } catch (error) {
      if (!(error instanceof RpcError) && !(error instanceof ChainError)) throw error;
      const isSilent = error.failure === 'TIMEOUT'; // a retry would only take as long again
      const answers = isSilent ? null : await readHead(this.#rpc).catch(() => null);
      const nodeCount = answers === null ? 0 : 1;
      const seen = { blockNumber: answers, transactionCount: settled, lastUpdateTime: null };
      return { ...common, ...seen, nodeCount, healthy: false };
    }
  }

  async #findRoot(batchNo: string): Promise<RecordedRoot | null> {
    const { db, confirmations } = this.#options;
    const root = await findSettledRoot(this.#rpc, this.#contract, batchNo, confirmations);
    if (root === null) return null;
    await markSettled(db, { kind: 'BATCH_ROOT', subject: batchNo });
    const { merkleRoot, transactionHash, blockNumber } = root;
    return { batchNo, merkleRoot, transactionHash, blockNumber };
  }

  async #findRecord(fileHash: string): Promise<ChainRecord | null> {
    const { db, confirmations } = this.#options;
    const record = await findSettledRecord(this.#rpc, this.#contract, fileHash, confirmations);
    if (record === null) return null;
    await markSettled(db, { kind: 'FILE_RECORD', subject: fileHash });
    const { manifestHash, transactionHash, blockNumber } = record;
    return { fileHash, manifestHash: `sha256:${manifestHash}`, transactionHash, blockNumber };
  }

  /** Queries, sends if missing, and polls until the entry is final or the time limit is reached. */
  async #write<T>(entry: NewContractEntry, find: () => Promise<T | null>, maxWaitMs: number): Promise<T> {
    const about = aboutOf(entry);
    const until = performance.now() + maxWaitMs;
    for (let polls = 1; ; polls += 1) {
      const found = await find();
      if (found !== null) return found;
      const isSentNow = !(await isAnchored(this.#rpc, this.#contract, about)) && (await this.#send(entry));
      if (isSentNow && polls === 1) continue; // some chains confirm at once
      if (performance.now() > until)
        throw new ChainError('TIMEOUT', `the transaction about ${about.subject} is not final on the chain yet`);
      await sleep(this.#options.pollMs ?? 1000);
    }
  }

  async #send(entry: NewContractEntry): Promise<boolean> {
    const { db, engine, clock, senderKey } = this.#options;
    const { chainId } = await this.#checkChain();
    this.#signer ??= openSigner(senderKey);
    const signer = await this.#signer;
    const ports = { db, engine, clock, rpc: this.#rpc, contract: this.#contract, signer, turn: this.#turn };
    return ensureSent(ports, chainId, entry);
  }

  /** A URL that suddenly leads to another chain must not get a transaction. */
  async #checkChain(): Promise<ChainIdentity> {
    const now = await readEvmIdentity(this.#rpc, this.#contract);
    this.#identity ??= now;
    if (now.chainId !== this.#identity.chainId)
      throw new ChainError('REFUSED', `the node now reports chain ${now.chainId}, not ${this.#identity.chainId}`);
    return now;
  }
}

/** A refusal concerns the call, not the node. */
export const isNodeDown = (error: unknown): boolean => !(error instanceof RpcError) || error.failure !== 'REFUSED';

/** While the circuit is open the node counts as unreachable: nothing was sent. */
const guarded =
  (rpc: RpcCall, guard: Guard): RpcCall =>
  async (...call) => {
    try {
      return await guard(() => rpc(...call));
    } catch (error) {
      if (error instanceof CircuitOpenError) throw new RpcError('UNREACHABLE', error.message, { cause: error });
      throw error;
    }
  };

async function withChainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChainError) throw error;
    if (error instanceof RpcError) throw new ChainError(error.failure, error.message, error);
    // Probably our own database; the transaction may have reached the chain.
    throw new ChainError('UNREACHABLE', 'the request was aborted', error);
  }
}
