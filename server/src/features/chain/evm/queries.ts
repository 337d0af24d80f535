// All SQL on transactions to the anchor contract.
import { type Selectable, sql } from 'kysely';
import { insertReturning, selectWhere, updateWhere } from '../../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../../platform/db/tables.ts';

export type TransactionRow = Selectable<Tables['evm_transaction']>;
type NewTransaction = Omit<TransactionRow, 'id' | 'state'>;
type Sender = { readonly chainId: string; readonly address: string };

/** Transactions without a known outcome, by nonce. */
export const listLive = (db: Db, { chainId, address }: Sender): Promise<TransactionRow[]> =>
  selectWhere(db, 'evm_transaction', { chain_id: chainId, sender: address, state: 'SENT' })
    .selectAll()
    .orderBy('nonce')
    .execute();

export const insertTransaction = (tx: Tx, row: NewTransaction): Promise<TransactionRow> =>
  insertReturning(tx, 'evm_transaction', { ...row, state: 'SENT' });

/** The same nonce with a higher fee: the chain accepts one of the two. */
export const replaceRaw = (tx: Tx, id: Key, raw: string, hash: string, now: Time): Promise<void> =>
  updateWhere(tx, 'evm_transaction', { id }, { raw, hash, signed_at: now });

export const endTransaction = (db: Db, id: Key, state: 'SETTLED' | 'FAILED'): Promise<void> =>
  updateWhere(db, 'evm_transaction', { id, state: 'SENT' }, { state });

export type Subject = Pick<TransactionRow, 'kind' | 'subject'>;

const sentOf = (db: Db, { kind, subject }: Subject) =>
  db.selectFrom('evm_transaction').where('kind', '=', kind).where('subject', '=', subject).where('state', '=', 'SENT');

/** The newest transaction without a known outcome. */
export async function findSent(db: Db, about: Subject, contract: string): Promise<TransactionRow | null> {
  const newest = sentOf(db, about).where('contract', '=', contract).orderBy('id', 'desc').selectAll();
  return (await newest.limit(1).executeTakeFirst()) ?? null;
}

/** Called once the entry is on the chain. */
export async function markSettled(db: Db, about: Subject): Promise<void> {
  const sent = await sentOf(db, about).select('id').execute(); // usually none, and reading takes no lock
  for (const { id } of sent) await endTransaction(db, id, 'SETTLED');
}

export async function countTransactions(db: Db): Promise<{ settled: number; failed: number }> {
  const rows = await db
    .selectFrom('evm_transaction')
    .select(['state', sql<number>`count(*)`.as('count')])
    .groupBy('state')
    .execute();
  const of = (state: string): number => Number(rows.find(row => row.state === state)?.count ?? 0);
  return { settled: of('SETTLED'), failed: of('FAILED') };
}
