// SQL on proofs and on the public halves of their keys.
import type { ProofState } from '@recordproof/shared/api/proofs.ts';
import type { Insertable, Selectable } from 'kysely';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';

export type ProofRow = Selectable<Tables['proof']>;
export type ProofKeyRow = Selectable<Tables['proof_key']>;

export async function findProofOfFile(db: Db, tenantId: Key, fileId: Key): Promise<ProofRow | null> {
  const row = await db
    .selectFrom('proof')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();
  return row ?? null;
}

export async function findProof(db: Db, proofId: string): Promise<ProofRow | null> {
  const row = await db.selectFrom('proof').selectAll().where('proof_id', '=', proofId).executeTakeFirst();
  return row ?? null;
}

/** Those of the leaves that had none yet. */
export const insertProofs = (tx: Tx, proofs: readonly Omit<Insertable<Tables['proof']>, 'id'>[]): Promise<ProofRow[]> =>
  tx
    .insertInto('proof')
    .values([...proofs])
    .onConflict(conflict => conflict.doNothing())
    .returningAll()
    .execute();

export async function listUnproven(db: Db, leafIds: readonly Key[]): Promise<ReadonlySet<Key>> {
  const rows = await db.selectFrom('proof').select('leaf_id').where('leaf_id', 'in', leafIds).execute();
  const proven = new Set(rows.map(row => row.leaf_id));
  return new Set(leafIds.filter(id => !proven.has(id)));
}

type Step = {
  readonly from: readonly ProofState[];
  readonly to: ProofState;
  readonly reason: string;
  readonly now: Time;
};

/** One step of the status, from one of the given ones; null when the proof is in none of them. */
export async function stepStatus(tx: Tx, id: Key, { from, to, reason, now }: Step): Promise<ProofRow | null> {
  const row = await tx
    .updateTable('proof')
    .set(eb => ({ status: to, status_version: eb('status_version', '+', 1), reason, updated_at: now }))
    .where('id', '=', id)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** To a status that the ledger has as the next one; null when the proof has moved on meanwhile. */
export async function recallStatus(
  tx: Tx,
  { id, version }: { readonly id: Key; readonly version: number },
  { to, reason, now }: Omit<Step, 'from'>,
): Promise<ProofRow | null> {
  const row = await tx
    .updateTable('proof')
    .set({ status: to, status_version: version + 1, reason, updated_at: now })
    .where('id', '=', id)
    .where('status_version', '=', version)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export type ChainEnd = { readonly versionGroupId: Key; readonly version: number };

/** The proofs in force of versions before this one. */
export const listInForce = (tx: Tx, { versionGroupId, version }: ChainEnd): Promise<ProofRow[]> =>
  tx
    .selectFrom('proof')
    .selectAll()
    .where('version_group_id', '=', versionGroupId)
    .where('file_version', '<', version)
    .where('status', '=', 'ACTIVE')
    .execute();

/** All proofs in force of versions before this one become SUPERSEDED. */
export const endOlder = (
  tx: Tx,
  { versionGroupId, version }: ChainEnd,
  reason: string,
  now: Time,
): Promise<ProofRow[]> =>
  tx
    .updateTable('proof')
    .set(eb => ({ status: 'SUPERSEDED', status_version: eb('status_version', '+', 1), reason, updated_at: now }))
    .where('version_group_id', '=', versionGroupId)
    .where('file_version', '<', version)
    .where('status', '=', 'ACTIVE')
    .returningAll()
    .execute();

export async function findActiveKey(db: Db): Promise<ProofKeyRow | null> {
  return (await db.selectFrom('proof_key').selectAll().where('status', '=', 'ACTIVE').executeTakeFirst()) ?? null;
}

/** Until the transaction ends the key cannot be retired. False when it is retired already. */
export async function holdActiveKey(tx: Tx, engine: Engine, { id }: ProofKeyRow): Promise<boolean> {
  const query = tx.selectFrom('proof_key').select('id').where('id', '=', id).where('status', '=', 'ACTIVE');
  // On SQLite nobody else writes while a transaction is open.
  const row = await (engine === 'postgres' ? query.forShare() : query).executeTakeFirst();
  return row !== undefined;
}

export async function findKey(db: Db, keyId: string, keyVersion: number): Promise<ProofKeyRow | null> {
  const row = await db
    .selectFrom('proof_key')
    .selectAll()
    .where('key_id', '=', keyId)
    .where('key_version', '=', keyVersion)
    .executeTakeFirst();
  return row ?? null;
}

export const listKeys = (db: Db): Promise<ProofKeyRow[]> =>
  db.selectFrom('proof_key').selectAll().orderBy('key_version').execute();

export async function insertKey(tx: Tx, key: Omit<Insertable<Tables['proof_key']>, 'id'>): Promise<void> {
  await tx
    .insertInto('proof_key')
    .values(key)
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

/** False when another key is the active one by now. */
export async function retireKey(tx: Tx, key: ProofKeyRow, now: Time): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('proof_key')
    .set({ status: 'RETIRED', retired_at: now })
    .where('id', '=', key.id)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
