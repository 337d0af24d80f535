// Roots and file records read from the anchor contract: each counts in the block of its recording.
import { expect, test } from 'vitest';
import { findSettledRecord } from './evm-records.ts';
import { findSettledRoot } from './evm-roots.ts';
import type { RpcCall } from './evm-rpc.ts';

const contract = `0x${'c'.repeat(40)}`;
const transactionHash = `0x${'d'.repeat(64)}`;
const word = (number: number): string => number.toString(16).padStart(64, '0');
const [own, other] = ['a'.repeat(64), 'b'.repeat(64)];

/** A node whose contract states `stated`, and recorded `recorded` in block 7. */
const nodeWith =
  (stated: string, recorded: string): RpcCall =>
  async (method, [query]) => {
    if (method === 'eth_blockNumber') return '0x64';
    if (method === 'eth_call') return `0x${stated}`;
    return (query as { fromBlock: string }).fromBlock === '0x7' ? [{ transactionHash, data: `0x${recorded}` }] : [];
  };

const batchNo = 'MB-12';
const event = (root: string, size = 3): string =>
  word(96) + root + word(size) + word(batchNo.length) + Buffer.from(batchNo).toString('hex').padEnd(64, '0');

test('a root counts only in the block in which the contract recorded it', async () => {
  const stated = own + word(3) + word(7);
  const find = (recorded: string) => findSettledRoot(nodeWith(stated, recorded), contract, batchNo, 12);
  expect(await find(event(own))).toEqual({ batchNo, merkleRoot: own, treeSize: 3, blockNumber: 7, transactionHash });
  for (const recorded of [event(other), event(own, 4), ''])
    await expect(find(recorded)).rejects.toThrow('other values');
  const moved = nodeWith(own + word(3) + word(6), event(own));
  await expect(findSettledRoot(moved, contract, batchNo, 12)).rejects.toThrow('record of the transaction');
});

test('a file record counts only in the block in which the contract recorded it', async () => {
  const find = (recorded: string) => findSettledRecord(nodeWith(own + word(7), recorded), contract, other, 12);
  expect(await find(own)).toEqual({ recordId: other, manifestHash: own, blockNumber: 7, transactionHash });
  await expect(find(other)).rejects.toThrow('other values');
});
