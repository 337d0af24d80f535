// An EVM chain as a chain: roots stand in the anchor contract, and count once so many blocks stand on top.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainStatus } from '@recordproof/shared/api/chain.ts';
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import {
  countRecords,
  findAnchoredRoot,
  findSettledRoot,
  parseQuantity,
  readEvmIdentity,
  readHead,
  type SettledRoot,
} from '@recordproof/shared/evidence/evm-roots.ts';
import { openRpc, type RpcCall, RpcError } from '@recordproof/shared/evidence/evm-rpc.ts';
import { toIso } from '../../../platform/clock.ts';
import type { LockContext } from '../../../platform/lock.ts';
import { ChainError, type ChainPort, type RecordedRoot, type RootToSubmit } from '../chain-port.ts';
import { openSigner, type Signer } from './anchor.ts';
import { countTransactions, settleBatch } from './queries.ts';
import { ensureSent } from './send-root.ts';

export type EvmOptions = LockContext & {
  readonly rpcUrl: string;
  /** 0x and 40 hex digits. */
  readonly contract: string;
  readonly senderKey: string;
  /** Blocks on top before a root counts. */
  readonly confirmations: number;
  /** How long a submission waits for its root to be settled before it says that it does not know. */
  readonly timeoutMs: number;
  readonly pollMs?: number;
  readonly rpcTimeoutMs?: number;
};

export type EvmChain = ChainPort & { readStatus(): Promise<ChainStatus> };

export const openEvmChain = (options: EvmOptions): EvmChain => new AnchorChain(options);

class AnchorChain implements EvmChain {
  readonly #options: EvmOptions;
  readonly #contract: string;
  readonly #rpc: RpcCall;
  #signer: Promise<Signer> | undefined;
  #identity: ChainIdentity | undefined;

  constructor(options: EvmOptions) {
    this.#options = options;
    this.#contract = options.contract.toLowerCase();
    this.#rpc = openRpc({
      url: options.rpcUrl,
      ...(options.rpcTimeoutMs !== undefined && { timeoutMs: options.rpcTimeoutMs }),
    });
  }

  identity(): Promise<ChainIdentity> {
    return asking(async () => {
      this.#identity ??= await readEvmIdentity(this.#rpc, this.#contract);
      return this.#identity;
    });
  }

  findRoot(batchNo: string): Promise<RecordedRoot | null> {
    return asking(async () => {
      const root = await this.#findSettled(batchNo);
      return root && toRecordedRoot(root);
    });
  }

  submitRoot(root: RootToSubmit): Promise<RecordedRoot> {
    return asking(async () => {
      const until = performance.now() + this.#options.timeoutMs;
      for (;;) {
        const settled = await this.#findSettled(root.batchNo);
        if (settled) {
          await settleBatch(this.#options.db, root.batchNo);
          return toRecordedRoot(settled);
        }
        if ((await findAnchoredRoot(this.#rpc, this.#contract, root.batchNo)) === null) await this.#send(root);
        if (performance.now() > until) throw new ChainError('TIMEOUT', 'the root is not settled on the chain yet');
        await sleep(this.#options.pollMs ?? 1000);
      }
    });
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
      const isSilent = error.failure === 'TIMEOUT'; // asking once more would only take as long again
      const answers = isSilent ? null : await readHead(this.#rpc).catch(() => null);
      const nodeCount = answers === null ? 0 : 1;
      const seen = { blockNumber: answers, transactionCount: settled, lastUpdateTime: null };
      return { ...common, ...seen, nodeCount, healthy: false };
    }
  }

  async #findSettled(batchNo: string): Promise<SettledRoot | null> {
    return findSettledRoot(this.#rpc, this.#contract, batchNo, this.#options.confirmations);
  }

  async #send(root: RootToSubmit): Promise<void> {
    const { db, engine, clock, senderKey } = this.#options;
    const { chainId } = await this.#checkChain();
    this.#signer ??= openSigner(senderKey);
    const ports = { db, engine, clock, rpc: this.#rpc, contract: this.#contract, signer: await this.#signer };
    await ensureSent(ports, chainId, root);
  }

  /** An address that leads to another chain all of a sudden must not get a transaction. */
  async #checkChain(): Promise<ChainIdentity> {
    const now = await readEvmIdentity(this.#rpc, this.#contract);
    this.#identity ??= now;
    if (now.chainId !== this.#identity.chainId)
      throw new ChainError('REFUSED', `the node now speaks of chain ${now.chainId}, not ${this.#identity.chainId}`);
    return now;
  }
}

const toRecordedRoot = ({ batchNo, merkleRoot, transactionHash, blockNumber }: SettledRoot): RecordedRoot => ({
  batchNo,
  merkleRoot,
  transactionHash,
  blockNumber,
});

async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ChainError) throw error;
    if (error instanceof RpcError) throw new ChainError(error.failure, error.message, error);
    // Our own database, most likely: what was under way there may have reached the chain.
    throw new ChainError('UNREACHABLE', 'the submission broke off', error);
  }
}
