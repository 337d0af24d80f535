// Sees to it that a transaction for a batch is on its way. Written down before it is sent, under a lock over all
// servers, so that nonces follow without gaps; whatever is sent twice is the same transaction, and the contract refuses
// a second root. Whether it took effect is read from the contract, never from a receipt.
import { findAnchoredRoot, parseQuantity } from '@recordproof/shared/evidence/evm-roots.ts';
import { type RpcCall, RpcError } from '@recordproof/shared/evidence/evm-rpc.ts';
import { type Lease, type LockContext, withLease } from '../../../platform/lock.ts';
import { ChainError, type RootToSubmit } from '../chain-port.ts';
import { findContractError, raiseFees, readFees, readNonce, type Signer, toRootCall } from './anchor.ts';
import { endTransaction, insertTransaction, listLive, replaceRaw, type TransactionRow } from './queries.ts';

export type SendPorts = LockContext & { readonly rpc: RpcCall; readonly contract: string; readonly signer: Signer };

/** A transaction that no block has taken for so long gets a better fee. */
const patienceMs = 3 * 60_000;
const leaseSeconds = 30;
const waitForLeaseMs = 20_000;

/** When it resolves, a transaction for this batch is known to the node, or the contract holds its root already. */
export async function ensureSent(ports: SendPorts, chainId: string, root: RootToSubmit): Promise<void> {
  const done = await withLease(
    ports,
    `chain.evm.${chainId}.${ports.signer.address}`,
    { leaseSeconds, waitMs: waitForLeaseMs },
    async lease => {
      await sendAlone(ports, chainId, root, lease);
      return true;
    },
  );
  if (done === null) throw new ChainError('REFUSED', 'other batches keep the sender busy; nothing was sent');
}

async function sendAlone(ports: SendPorts, chainId: string, root: RootToSubmit, lease: Lease): Promise<void> {
  const { rpc, contract, signer, db } = ports;
  // Asked before the contract: a nonce that is used up by now has left its root there, or never will.
  const nonce = await readNonce(rpc, signer.address);
  const live = await listLive(db, { chainId, address: signer.address });
  for (const row of live) await carryOn(ports, row, nonce, lease);
  if ((await findAnchoredRoot(rpc, contract, root.batchNo)) !== null) return;
  const waiting = await listLive(db, { chainId, address: signer.address });
  const next = firstFreeNonce(nonce, waiting);
  const isOnItsWay = (row: TransactionRow) => row.batch_no === root.batchNo && row.contract === contract;
  // Behind a free nonce nothing is ever taken: what is wanted fills it, and of the two the contract takes one.
  if (waiting.some(row => isOnItsWay(row) && row.nonce < next)) return;
  await sendNew(ports, { chainId, nonce: next, root }, lease);
}

/** Rows in the order of their nonces. A gap before some of them comes from a reorganisation deeper than was thought possible. */
function firstFreeNonce(nonce: number, waiting: readonly TransactionRow[]): number {
  let free = nonce;
  for (const row of waiting) if (row.nonce === free) free += 1;
  return free;
}

/** A transaction of before: taken, lost for good, or to be sent once more. */
async function carryOn(ports: SendPorts, row: TransactionRow, nonce: number, lease: Lease): Promise<void> {
  const { rpc, db } = ports;
  if ((await findAnchoredRoot(rpc, row.contract, row.batch_no)) !== null) return;
  if (row.nonce < nonce) return endTransaction(db, row.id, 'FAILED');
  const { raw, hash } = isLate(ports, row) ? await sweeten(ports, row, lease) : row;
  if ((await rpc('eth_getTransactionByHash', [hash])) === null) await sendAgain(rpc, raw);
}

const isLate = ({ clock }: SendPorts, row: TransactionRow): boolean => clock.now() - row.signed_at > patienceMs;

async function sweeten(ports: SendPorts, row: TransactionRow, lease: Lease) {
  const { rpc, signer, db, clock } = ports;
  const { Transaction } = await import('ethers');
  const { data, gasLimit } = Transaction.from(row.raw);
  const fees = await raiseFees(row.raw, await readFees(rpc));
  const better = signer.sign({
    chainId: row.chain_id,
    to: row.contract,
    nonce: row.nonce,
    data,
    gas: Number(gasLimit),
    fees,
  });
  const now = clock.now();
  await db.transaction().execute(async tx => {
    await lease.assertFence(tx);
    await replaceRaw(tx, row.id, better.raw, better.hash, now);
  });
  return better;
}

/** What the node says against it does not matter: it may have it already, or take it later. */
async function sendAgain(rpc: RpcCall, raw: string): Promise<void> {
  await rpc('eth_sendRawTransaction', [raw]).catch(error => {
    if (!(error instanceof RpcError) || error.failure !== 'REFUSED') throw error;
  });
}

type Wanted = { readonly chainId: string; readonly nonce: number; readonly root: RootToSubmit };

async function sendNew(ports: SendPorts, { chainId, nonce, root }: Wanted, lease: Lease): Promise<void> {
  const { rpc, contract, signer, db, clock } = ports;
  const data = await toRootCall(root);
  const gas = await estimateGas(ports, data);
  if (gas === null) return;
  const fees = await readFees(rpc);
  const { raw, hash } = signer.sign({ chainId, to: contract, nonce, data, gas, fees });
  const now = clock.now();
  const row = await db.transaction().execute(async tx => {
    await lease.assertFence(tx);
    const sender = signer.address;
    return insertTransaction(tx, {
      chain_id: chainId,
      contract,
      sender,
      nonce,
      batch_no: root.batchNo,
      raw,
      hash,
      signed_at: now,
    });
  });
  try {
    await rpc('eth_sendRawTransaction', [raw]);
  } catch (error) {
    if (!(error instanceof RpcError) || error.failure !== 'REFUSED') throw error;
    if (/already known|already imported/i.test(error.message)) return;
    await endTransaction(db, row.id, 'FAILED');
    throw new ChainError('REFUSED', error.message, error);
  }
}

/** Null when the contract says that the root is there, which its next reading will show. */
async function estimateGas({ rpc, contract, signer }: SendPorts, data: string): Promise<number | null> {
  try {
    const gas = await rpc('eth_estimateGas', [{ from: signer.address, to: contract, data }]);
    return Math.ceil(parseQuantity(gas, 'gas estimate') * 1.25);
  } catch (error) {
    if (!(error instanceof RpcError) || error.failure !== 'REFUSED') throw error;
    const name = await findContractError(error.data);
    if (name === 'AlreadyRecorded') return null;
    const message =
      name === 'NotWriter' ? 'the sender is not the account that may write to this contract' : error.message;
    throw new ChainError('REFUSED', message, error);
  }
}
