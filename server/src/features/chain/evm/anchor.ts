// The compiled anchor contract, and transaction signing. ethers is loaded on first use.

import { parseDigest } from '@recordproof/shared/evidence/digest.ts';
import { parseQuantity } from '@recordproof/shared/evidence/evm-roots.ts';
import type { RpcCall } from '@recordproof/shared/evidence/evm-rpc.ts';
import type { NewContractEntry } from '../chain-port.ts';
import artifact from './RecordProofAnchor.json' with { type: 'json' };

export const anchorBytecode = artifact.bytecode;

type Fees = { readonly maxFee: bigint; readonly tip: bigint } | { readonly gasPrice: bigint };

type Unsigned = {
  readonly chainId: string;
  /** Absent: creates a contract. */
  readonly to?: string;
  readonly nonce: number;
  readonly data: string;
  readonly gas: number;
  readonly fees: Fees;
};

export type Signer = {
  readonly address: string;
  sign(transaction: Unsigned): { readonly raw: string; readonly hash: string };
};

export async function openSigner(privateKey: string): Promise<Signer> {
  const { computeAddress, SigningKey, Transaction } = await import('ethers');
  const key = new SigningKey(privateKey);
  return {
    address: computeAddress(key).toLowerCase(),
    sign: ({ chainId, to, nonce, data, gas, fees }) => {
      const priced =
        'gasPrice' in fees
          ? { type: 0, gasPrice: fees.gasPrice }
          : { type: 2, maxFeePerGas: fees.maxFee, maxPriorityFeePerGas: fees.tip };
      const transaction = Transaction.from({
        ...priced,
        chainId: BigInt(chainId),
        to: to ?? null,
        nonce,
        data,
        gasLimit: gas,
      });
      transaction.signature = key.sign(transaction.unsignedHash);
      if (transaction.hash === null) throw new Error('internal: the signed transaction has no hash');
      return { raw: transaction.serialized, hash: transaction.hash };
    },
  };
}

export async function toCall(entry: NewContractEntry): Promise<string> {
  const { Interface } = await import('ethers');
  const contract = new Interface(artifact.abi);
  if (entry.kind === 'BATCH_ROOT')
    return contract.encodeFunctionData('recordRoot', [entry.batchNo, `0x${entry.merkleRoot}`, entry.treeSize]);
  return contract.encodeFunctionData('recordFile', [`0x${entry.recordId}`, parseDigest(entry.manifestHash)]);
}

/** The name of the contract's error; null if it is not one of its own. */
export async function findContractError(data: string | undefined): Promise<string | null> {
  if (data === undefined) return null;
  const { Interface } = await import('ethers');
  return new Interface(artifact.abi).parseError(data)?.name ?? null;
}

const oneGwei = 1_000_000_000n;

/** Twice the base fee covers six full blocks. */
export async function readFees(rpc: RpcCall): Promise<Fees> {
  const block = await rpc('eth_getBlockByNumber', ['latest', false]);
  const baseFee =
    typeof block === 'object' && block !== null && 'baseFeePerGas' in block ? block.baseFeePerGas : undefined;
  if (typeof baseFee !== 'string') return { gasPrice: toAmount(await rpc('eth_gasPrice', [])) };
  const tip = await rpc('eth_maxPriorityFeePerGas', []).then(toAmount, () => oneGwei);
  return { maxFee: 2n * toAmount(baseFee) + tip, tip };
}

function toAmount(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,32}$/i.test(value))
    throw new Error(`the node returned the fee ${String(value).slice(0, 60)}, which is not a hexadecimal amount`);
  return BigInt(value);
}

/** Nodes accept a replacement only if both fees are at least 10% higher. */
export async function raiseFees(raw: string, now: Fees): Promise<Fees> {
  const { Transaction } = await import('ethers');
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = Transaction.from(raw);
  const raised = (old: bigint | null, current: bigint): bigint => {
    const least = ((old ?? 0n) * 5n) / 4n + 1n;
    return least > current ? least : current;
  };
  if ('gasPrice' in now) return { gasPrice: raised(gasPrice, now.gasPrice) };
  return { maxFee: raised(maxFeePerGas, now.maxFee), tip: raised(maxPriorityFeePerGas, now.tip) };
}

/** The next nonce of the account: from blocks only, or including transactions pending in the node. */
export const readNonce = async (rpc: RpcCall, address: string, at: 'latest' | 'pending' = 'latest'): Promise<number> =>
  parseQuantity(await rpc('eth_getTransactionCount', [address, at]), 'nonce');
