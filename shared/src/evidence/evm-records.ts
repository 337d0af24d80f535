// Owns reading file records from the anchor contract, where the server keeps them if it is told to. The same rule as for
// roots: a record counts once so many blocks stand on the one that holds it.
import { toHex } from './digest.ts';
import { callContract, readHead, readTransactionHash, selectorOf, toNumber, topicOf } from './evm-roots.ts';
import type { RpcCall } from './evm-rpc.ts';

const recordOf = selectorOf('recordOf(bytes32)');
const fileRecorded = topicOf('FileRecorded(bytes32,bytes32)');

type AnchoredRecord = {
  /** 64 lowercase hex digits, as the manifest hash. */
  readonly recordId: string;
  readonly manifestHash: string;
  readonly blockNumber: number;
};
type SettledRecord = AnchoredRecord & { readonly transactionHash: string };

/** What the newest block says, whether or not it will stay. */
export async function findAnchoredRecord(
  rpc: RpcCall,
  contract: string,
  recordId: string,
): Promise<AnchoredRecord | null> {
  const [manifestHash, block] = await callContract(rpc, contract, recordOf + recordId, 2);
  const blockNumber = toNumber(block);
  return manifestHash === undefined || blockNumber === 0
    ? null
    : { recordId, manifestHash: toHex(manifestHash), blockNumber };
}

/** Null while nothing stands there, or not deep enough: then a reorganisation could still take it away. */
export async function findSettledRecord(
  rpc: RpcCall,
  contract: string,
  recordId: string,
  confirmations: number,
): Promise<SettledRecord | null> {
  // Asked before the record, so that the depth is never overstated.
  const head = await readHead(rpc);
  const record = await findAnchoredRecord(rpc, contract, recordId);
  if (record === null || record.blockNumber + confirmations > head) return null;
  const topics = [fileRecorded, `0x${recordId}`];
  return { ...record, transactionHash: await readTransactionHash(rpc, contract, record.blockNumber, topics) };
}
