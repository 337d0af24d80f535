// A chain with injected failures of real ones: away, silent after the write, too late, or holding another root.
import {
  type BatchRoot,
  ChainError,
  type ChainPort,
  type RecordedRoot,
} from '../../server/src/features/chain/index.ts';

type Fault = 'unreachable' | 'lost before' | 'lost after' | 'refused' | 'blind';

export type ShakyChain = ChainPort & {
  /** Failures of the next writing calls; then it is healthy again. `blind`: reads fail too, once. */
  readonly faults: Fault[];
  readonly roots: Map<string, RecordedRoot>;
  readonly writes: string[];
  /** Called before a write takes effect. */
  beforeWrite: (() => Promise<void>) | undefined;
};

const identity = {
  chainType: 'LOCAL_LEDGER',
  chainId: '0123456789abcdef',
  groupId: 'default',
  contractAddress: `0x${'ab'.repeat(20)}`,
};

export function openShakyChain(): ShakyChain {
  const chain: ShakyChain = {
    faults: [],
    roots: new Map(),
    writes: [],
    beforeWrite: undefined,
    identity: async () => identity,
    findRoot: async batchNo => {
      if (chain.faults[0] === 'unreachable') {
        chain.faults.shift();
        throw new ChainError('UNREACHABLE', 'nobody there');
      }
      return chain.roots.get(batchNo) ?? null;
    },
    submitRoot: async root => {
      await chain.beforeWrite?.();
      const fault = chain.faults.shift();
      if (fault === 'refused') throw new ChainError('REFUSED', 'no');
      if (fault === 'lost before') throw new ChainError('TIMEOUT', 'no answer');
      const recorded = write(chain, root);
      if (fault === 'blind') chain.faults.unshift('unreachable');
      if (fault !== undefined) throw new ChainError('TIMEOUT', 'no answer');
      return recorded;
    },
  };
  return chain;
}

function write(chain: ShakyChain, { batchNo, merkleRoot }: BatchRoot): RecordedRoot {
  chain.writes.push(batchNo);
  const blockNumber = chain.roots.size;
  const transactionHash = `0x${String(blockNumber).padStart(64, '0')}`;
  const recorded = chain.roots.get(batchNo) ?? { batchNo, merkleRoot, transactionHash, blockNumber };
  chain.roots.set(batchNo, recorded);
  return recorded;
}
