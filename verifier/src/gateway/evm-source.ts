// Gateway source: batch roots from the anchor contract, read through the configured node, which is trusted.
import type { ChainIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { findSettledRoot, readEvmIdentity } from '@recordproof/shared/evidence/evm-roots.ts';
import { openRpc, RpcError } from '@recordproof/shared/evidence/evm-rpc.ts';
import { type RootSource, SourceUnavailable } from './serve-gateway.ts';

type EvmSourceOptions = { readonly rpcUrl: string; readonly contract: string; readonly confirmations: number };

export function openEvmSource({ rpcUrl, contract, confirmations }: EvmSourceOptions): RootSource {
  const rpc = openRpc({ url: rpcUrl });
  let cachedIdentity: ChainIdentity | undefined;
  return {
    identity: () =>
      asking(async () => {
        cachedIdentity ??= await readEvmIdentity(rpc, contract);
        return cachedIdentity;
      }),
    findRoot: batchNo =>
      asking(async () => {
        const root = await findSettledRoot(rpc, contract, batchNo, confirmations);
        if (root === null) return null;
        const { merkleRoot, transactionHash, blockNumber } = root;
        return { batchNo, merkleRoot, transactionHash, blockNumber };
      }),
  };
}

async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcError) throw new SourceUnavailable(error.message, error);
    throw error;
  }
}
