// File records in the anchor contract, read by JSON-RPC; used if the server is configured to keep them there. As for
// roots, a record counts after a number of confirmations.
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

/** By the newest block, final or not. */
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

/** Returns null if there is none, or too few confirmations: a reorganisation could still remove it. */
export async function findSettledRecord(
  rpc: RpcCall,
  contract: string,
  recordId: string,
  confirmations: number,
): Promise<SettledRecord | null> {
  // Read before the record, so that the depth is never overstated.
  const head = await readHead(rpc);
  const record = await findAnchoredRecord(rpc, contract, recordId);
  if (record === null || record.blockNumber + confirmations > head) return null;
  const topics = [fileRecorded, `0x${recordId}`];
  const event = { topics, data: record.manifestHash };
  return { ...record, transactionHash: await readTransactionHash(rpc, contract, record.blockNumber, event) };
}
