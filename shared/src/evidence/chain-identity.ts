// The chain identity of the embedded ledger: chain id and contract address are derived from its public key.
import { sha256, toHex } from './digest.ts';

export const localLedger = 'LOCAL_LEDGER';
export const defaultGroup = 'default';

export type ChainIdentity = { chainType: string; chainId: string; groupId: string; contractAddress: string };

/** `publicKey` is the raw 32-byte Ed25519 key that signs the ledger's checkpoints. */
export function ledgerIdentity(publicKey: Uint8Array): ChainIdentity {
  const digest = toHex(sha256(publicKey));
  return {
    chainType: localLedger,
    chainId: digest.slice(0, 16),
    groupId: defaultGroup,
    contractAddress: `0x${digest.slice(0, 40)}`,
  };
}
