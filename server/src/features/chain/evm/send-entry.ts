// Sending the transaction of an entry. It is stored before it is sent, under a cluster-wide lock, so that nonces have
// no gaps; sending twice repeats the same transaction, and the contract rejects a second entry. Whether it took effect
// is read from the contract, never from a receipt.

import { findAnchoredRecord } from '@recordproof/shared/evidence/evm-records.ts';
import { findAnchoredRoot, parseQuantity } from '@recordproof/shared/evidence/evm-roots.ts';
import { type RpcCall, RpcError } from '@recordproof/shared/evidence/evm-rpc.ts';
import { subjectOf } from '@recordproof/shared/evidence/ledger-entry.ts';
import { type HeldLock, type LockContext, withLease } from '../../../platform/lock.ts';
import type { Mutex } from '../../../platform/mutex.ts';
import { ChainError, type NewContractEntry } from '../chain-port.ts';
import { findContractError, raiseFees, readFees, readNonce, type Signer, toCall } from './anchor.ts';
import {
  endTransaction,
  findSent,
  insertTransaction,
  listLive,
  replaceRaw,
  type Subject,
  type TransactionRow,
} from './queries.ts';

type SendTools = LockContext & {
  readonly rpc: RpcCall;
  readonly contract: string;
  readonly signer: Signer;
  /** Serializes calls within this process; the cluster-wide lock is then requested by one of them. */
  readonly turn: Mutex;
};

/** A transaction not mined for this long gets a higher fee. */
const resendAfterMs = 3 * 60_000;
const leaseSeconds = 30;
const waitForTurnMs = 20_000;

export const aboutOf = (entry: NewContractEntry): Subject => ({ kind: entry.kind, subject: subjectOf(entry) });

/** By the newest block, final or not. */
export async function isAnchored(rpc: RpcCall, contract: string, { kind, subject }: Subject): Promise<boolean> {
  const find = kind === 'BATCH_ROOT' ? findAnchoredRoot : findAnchoredRecord;
  return (await find(rpc, contract, subject)) !== null;
}

/**
 * Resolves when the node knows a transaction for this entry, or the contract holds the entry already. Returns true if
 * this call sent it.
 */
export async function ensureSent(tools: SendTools, chainId: string, entry: NewContractEntry): Promise<boolean> {
  if (await isUnderWay(tools, aboutOf(entry))) return false;
  const { address } = tools.signer;
  const busy = new ChainError('TIMEOUT', `other transactions of ${address} are pending; nothing was sent, try again`);
  const release = await tools.turn.acquireWithin(waitForTurnMs);
  if (release === null) throw busy;
  try {
    const name = `chain.evm.${chainId}.${address}`;
    const options = { leaseSeconds, waitMs: waitForTurnMs };
    const sent = await withLease(tools, name, options, lease => sendAlone(tools, chainId, entry, lease));
    if (sent === null) throw busy;
    return sent;
  } finally {
    release();
  }
}

/** It was sent recently, the node has it, and it is not mined yet. */
async function isUnderWay(tools: SendTools, about: Subject): Promise<boolean> {
  const row = await findSent(tools.db, about, tools.contract);
  if (row === null || isLate(tools, row)) return false;
  const transaction = (await tools.rpc('eth_getTransactionByHash', [row.hash])) as { blockNumber?: unknown } | null;
  return transaction !== null && (transaction.blockNumber ?? null) === null;
}

async function sendAlone(
  tools: SendTools,
  chainId: string,
  entry: NewContractEntry,
  lease: HeldLock,
): Promise<boolean> {
  const { rpc, contract, signer, db } = tools;
  const { kind, subject } = aboutOf(entry);
  // Read before the contract: a nonce that is used by now has either left its entry there or never will.
  const nonce = await readNonce(rpc, signer.address);
  const held = await readNonce(rpc, signer.address, 'pending');
  const isOurs = (row: TransactionRow) => row.kind === kind && row.subject === subject && row.contract === contract;
  const live = await listLive(db, { chainId, address: signer.address });
  // Mined transactions are handled by the caller that waits for them.
  for (const row of live)
    if (isOurs(row) || row.nonce >= held || (row.nonce >= nonce && isLate(tools, row)))
      await resume(tools, row, nonce, lease);
  if (await isAnchored(rpc, contract, { kind, subject })) return false;
  const waiting = await listLive(db, { chainId, address: signer.address });
  const next = firstFreeNonce(nonce, waiting);
  // A gap in the nonces blocks later transactions: the new transaction fills it, and the contract accepts one of the
  // two.
  if (waiting.some(row => isOurs(row) && row.nonce < next)) return false;
  return sendNew(tools, { chainId, nonce: next, entry }, lease);
}

/**
 * Rows ordered by nonce. A gap before some of them comes from a reorganisation deeper than the configured
 * confirmations.
 */
function firstFreeNonce(nonce: number, waiting: readonly TransactionRow[]): number {
  let free = nonce;
  for (const row of waiting) if (row.nonce === free) free += 1;
  return free;
}

/** Resumes an earlier transaction: mined, permanently lost, or to be sent again. */
async function resume(tools: SendTools, row: TransactionRow, nonce: number, lease: HeldLock): Promise<void> {
  const { rpc, db } = tools;
  if (await isAnchored(rpc, row.contract, row)) return;
  if (row.nonce < nonce) return endTransaction(db, row.id, 'FAILED');
  const { raw, hash } = isLate(tools, row) ? await raiseFee(tools, row, lease) : row;
  if ((await rpc('eth_getTransactionByHash', [hash])) === null) await sendAgain(rpc, raw);
}

const isLate = ({ clock }: SendTools, row: TransactionRow): boolean => clock.now() - row.signed_at > resendAfterMs;

async function raiseFee(tools: SendTools, row: TransactionRow, lease: HeldLock) {
  const { rpc, signer, db, clock } = tools;
  const { Transaction } = await import('ethers');
  const { data, gasLimit } = Transaction.from(row.raw);
  const fees = await raiseFees(row.raw, await readFees(rpc));
  const { chain_id: chainId, contract: to, nonce } = row;
  const better = signer.sign({ chainId, to, nonce, data, gas: Number(gasLimit), fees });
  const now = clock.now();
  await db.transaction().execute(async tx => {
    await lease.assertFence(tx);
    await replaceRaw(tx, row.id, better.raw, better.hash, now);
  });
  return better;
}

/** Errors of the node are ignored: it may have the transaction already, or accept it later. */
async function sendAgain(rpc: RpcCall, raw: string): Promise<void> {
  await rpc('eth_sendRawTransaction', [raw]).catch(error => {
    if (!(error instanceof RpcError) || error.failure !== 'REFUSED') throw error;
  });
}

type EntryTransaction = { readonly chainId: string; readonly nonce: number; readonly entry: NewContractEntry };

async function sendNew(
  tools: SendTools,
  { chainId, nonce, entry }: EntryTransaction,
  lease: HeldLock,
): Promise<boolean> {
  const { rpc, contract, signer, db, clock } = tools;
  const data = await toCall(entry);
  const gas = await estimateGas(tools, data);
  if (gas === null) return false;
  const fees = await readFees(rpc);
  const { raw, hash } = signer.sign({ chainId, to: contract, nonce, data, gas, fees });
  const now = clock.now();
  const row = await db.transaction().execute(async tx => {
    await lease.assertFence(tx);
    return insertTransaction(tx, {
      chain_id: chainId,
      contract,
      sender: signer.address,
      nonce,
      ...aboutOf(entry),
      raw,
      hash,
      signed_at: now,
    });
  });
  try {
    await rpc('eth_sendRawTransaction', [raw]);
  } catch (error) {
    if (!(error instanceof RpcError) || error.failure !== 'REFUSED') throw error;
    if (/already known|already imported/i.test(error.message)) return true;
    await endTransaction(db, row.id, 'FAILED');
    throw new ChainError('REFUSED', error.message, error);
  }
  return true;
}

/** Returns null if the contract reports that the entry exists; its next reading will show it. */
async function estimateGas({ rpc, contract, signer }: SendTools, data: string): Promise<number | null> {
  try {
    const gas = await rpc('eth_estimateGas', [{ from: signer.address, to: contract, data }]);
    return Math.ceil(parseQuantity(gas, 'gas estimate') * 1.25);
  } catch (error) {
    if (!(error instanceof RpcError) || error.failure !== 'REFUSED') throw error;
    const name = await findContractError(error.data);
    if (name === 'AlreadyRecorded') return null;
    const message =
      name === 'NotWriter' ? `the account ${signer.address} may not write to the contract ${contract}` : error.message;
    throw new ChainError('REFUSED', message, error);
  }
}
