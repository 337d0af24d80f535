// Batch roots in the anchor contract (RecordProofAnchor.sol) on an EVM chain, read by JSON-RPC. A root counts after a
// number of confirmations. Responses of another shape are rejected.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { type ChainIdentity, defaultGroup } from './chain-identity.ts';
import { parseHex, toHex, toUtf8 } from './digest.ts';
import { type RpcCall, RpcError } from './evm-rpc.ts';

const evmChain = 'EVM';

const wordBytes = 32;
export const selectorOf = (signature: string): string => toHex(keccak_256(toUtf8(signature))).slice(0, 8);
const rootOf = selectorOf('rootOf(string)');
const counters = [selectorOf('rootCount()'), selectorOf('recordCount()')];
export const topicOf = (event: string): string => `0x${toHex(keccak_256(toUtf8(event)))}`;
const rootRecorded = topicOf('RootRecorded(bytes32,string,bytes32,uint64)');

type AnchoredRoot = {
  readonly batchNo: string;
  readonly merkleRoot: string;
  readonly treeSize: number;
  readonly blockNumber: number;
};
type SettledRoot = AnchoredRoot & { readonly transactionHash: string };

const broken = (what: string): RpcError => new RpcError('UNREACHABLE', `the node gave no usable ${what}`);

export function parseQuantity(value: unknown, what: string): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,14}$/i.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw broken(what);
  return number;
}

/** Some chains have ids beyond 2^53. */
function parseChainId(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) throw broken('chain id');
  return BigInt(value).toString();
}

export async function readEvmIdentity(rpc: RpcCall, contract: string): Promise<ChainIdentity> {
  const chainId = parseChainId(await rpc('eth_chainId', []));
  return { chainType: evmChain, chainId, groupId: defaultGroup, contractAddress: contract.toLowerCase() };
}

export const readHead = async (rpc: RpcCall): Promise<number> =>
  parseQuantity(await rpc('eth_blockNumber', []), 'block number');

export async function callContract(rpc: RpcCall, contract: string, data: string, words: number): Promise<Uint8Array[]> {
  const answer = await rpc('eth_call', [{ to: contract, data: `0x${data}` }, 'latest']);
  if (answer === '0x') throw new RpcError('REFUSED', 'there is no anchor contract at this address of this chain');
  if (typeof answer !== 'string' || answer.length !== 2 + 2 * wordBytes * words || !/^0x[0-9a-f]*$/i.test(answer))
    throw broken('answer of the contract');
  const bytes = parseHex(answer.slice(2).toLowerCase());
  return Array.from({ length: words }, (_, i) => bytes.slice(i * wordBytes, (i + 1) * wordBytes));
}

export function toNumber(word: Uint8Array | undefined): number {
  const number = Number(BigInt(`0x${toHex(word ?? new Uint8Array(1))}`));
  if (!Number.isSafeInteger(number)) throw broken('number of the contract');
  return number;
}

const toWord = (number: number): string => number.toString(16).padStart(2 * wordBytes, '0');
const toPadded = (text: Uint8Array): string =>
  toHex(text).padEnd(2 * wordBytes * Math.ceil(text.length / wordBytes), '0');

/** By the newest block, final or not. */
export async function findAnchoredRoot(rpc: RpcCall, contract: string, batchNo: string): Promise<AnchoredRoot | null> {
  const text = toUtf8(batchNo);
  const data = rootOf + toWord(wordBytes) + toWord(text.length) + toPadded(text);
  const [root, size, block] = await callContract(rpc, contract, data, 3);
  const treeSize = toNumber(size);
  if (root === undefined || treeSize === 0) return null;
  return { batchNo, merkleRoot: toHex(root), treeSize, blockNumber: toNumber(block) };
}

/** The number of roots and file records in the contract. */
export async function countRecords(rpc: RpcCall, contract: string): Promise<number> {
  const counts = await Promise.all(counters.map(selector => callContract(rpc, contract, selector, 1)));
  return counts.reduce((sum, [count]) => sum + toNumber(count), 0);
}

/** Returns null if there is none, or too few confirmations: a reorganisation could still remove it. */
export async function findSettledRoot(
  rpc: RpcCall,
  contract: string,
  batchNo: string,
  confirmations: number,
): Promise<SettledRoot | null> {
  const text = toUtf8(batchNo);
  // Read before the root, so that the depth is never overstated.
  const head = await readHead(rpc);
  const root = await findAnchoredRoot(rpc, contract, batchNo);
  if (root === null || root.blockNumber + confirmations > head) return null;
  const topics = [rootRecorded, `0x${toHex(keccak_256(text))}`];
  const data = toWord(3 * wordBytes) + root.merkleRoot + toWord(root.treeSize) + toWord(text.length) + toPadded(text);
  return { ...root, transactionHash: await readTransactionHash(rpc, contract, root.blockNumber, { topics, data }) };
}

type RecordedEvent = { readonly topics: readonly string[]; readonly data: string };

/**
 * For the only event of these topics in this block. The contract states the block, and another contract could state any:
 * the event shows that the values were recorded in it.
 */
export async function readTransactionHash(
  rpc: RpcCall,
  contract: string,
  blockNumber: number,
  { topics, data }: RecordedEvent,
): Promise<string> {
  const block = `0x${blockNumber.toString(16)}`;
  const logs = await rpc('eth_getLogs', [{ address: contract, fromBlock: block, toBlock: block, topics }]);
  const [log, ...more] = Array.isArray(logs) ? (logs as unknown[]) : [];
  const { transactionHash: hash, data: recorded } = Object(log) as { transactionHash?: unknown; data?: unknown };
  if (more.length > 0 || typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash) || typeof recorded !== 'string')
    throw broken('record of the transaction');
  if (recorded.toLowerCase() !== `0x${data}`)
    throw new RpcError('REFUSED', 'the contract states other values than it recorded in that block');
  return hash.toLowerCase();
}
