// `chain deploy`: deploys the anchor contract to an EVM chain and prints the settings for it. The key is read from
// standard input, because command lines are visible to others.

import { RpcError } from '@recordproof/shared/evidence/evm-rpc.ts';
import { deployContract } from '../features/chain/index.ts';
import { ServiceUnavailable, StartError } from '../platform/installation.ts';
import type { Input } from './declared/local.ts';
import { answer, UsageError } from './outcome.ts';
import { readKnownSecret } from './secret.ts';

export async function deploy({ values }: Input<'rpc-url'>): Promise<number> {
  const rpcUrl = values['rpc-url'];
  if (rpcUrl === undefined || !/^https?:\/\//.test(rpcUrl) || !URL.canParse(rpcUrl))
    throw new UsageError('--rpc-url is needed: the JSON-RPC address of a node.');
  const key = (await readKnownSecret('Private key of the sender: ')).trim();
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new UsageError('the key must be 0x and 64 hex digits.');
  const onSent = (hash: string) => process.stderr.write(`transaction ${hash} sent; waiting for its block\n`);
  const { chainId, contract } = await deployContract(rpcUrl, key, { onSent }).catch(error => {
    if (!(error instanceof RpcError)) throw error;
    throw error.failure === 'REFUSED' ? new StartError(error.message) : new ServiceUnavailable(error.message);
  });
  process.stderr.write(`contract deployed to chain ${chainId}\n`);
  return answer(values.json, { json: { chainId, contract }, text: `RECORDPROOF_CHAIN_CONTRACT=${contract}\n` });
}
