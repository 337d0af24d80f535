// Deployment of the anchor contract, once, by an operator. Only the deploying account may write to it.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseQuantity, readEvmIdentity } from '@recordproof/shared/evidence/evm-roots.ts';
import { openRpc } from '@recordproof/shared/evidence/evm-rpc.ts';
import { anchorBytecode, openSigner, readFees, readNonce } from './anchor.ts';

type Deployed = { readonly chainId: string; readonly contract: string; readonly transactionHash: string };

type DeployOptions = {
  /** Called once the node has the transaction: from then on it may be mined, even if this program ends. */
  readonly onSent?: (transactionHash: string) => void;
  readonly pollMs?: number;
};

export async function deployContract(
  rpcUrl: string,
  senderKey: string,
  { onSent, pollMs = 1000 }: DeployOptions = {},
): Promise<Deployed> {
  const rpc = openRpc({ url: rpcUrl });
  const signer = await openSigner(senderKey);
  const { chainId } = await readEvmIdentity(rpc, '');
  const nonce = await readNonce(rpc, signer.address);
  const estimate = await rpc('eth_estimateGas', [{ from: signer.address, data: anchorBytecode }]);
  const gas = Math.ceil(parseQuantity(estimate, 'gas estimate') * 1.25);
  const { raw, hash } = signer.sign({ chainId, nonce, data: anchorBytecode, gas, fees: await readFees(rpc) });
  await rpc('eth_sendRawTransaction', [raw]);
  onSent?.(hash);
  for (;;) {
    const receipt = (await rpc('eth_getTransactionReceipt', [hash])) as {
      contractAddress?: unknown;
      status?: unknown;
    } | null;
    if (receipt !== null) {
      if (receipt.status !== '0x1' || typeof receipt.contractAddress !== 'string')
        throw new Error(`the chain took the transaction ${hash}, but made no contract`);
      return { chainId, contract: receipt.contractAddress.toLowerCase(), transactionHash: hash };
    }
    await sleep(pollMs);
  }
}
