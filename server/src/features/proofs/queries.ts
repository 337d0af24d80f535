// SQL on proofs and on the public halves of their keys.
import { recordId } from '@recordproof/shared/api/common.ts';
import type { ProofState } from '@recordproof/shared/api/proofs.ts';
import { type Insertable, type Selectable, sql } from 'kysely';
import { type Columns, joinedRow, rowAsJson } from '../../platform/db/joined-rows.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import { findFirst, findWhere, selectWhere, updateAndCount } from '../../platform/db/rows.ts';
import type { Db, Key, Tables, Time, Tx } from '../../platform/db/tables.ts';
import { type BesideSession, readBeside } from '../../platform/http/caller.ts';

export type ProofRow = Selectable<Tables['proof']>;
export type ProofKeyRow = Selectable<Tables['proof_key']>;

const proofColumns: Columns<'proof'> = {
  ...{ id: 1, proof_id: 1, tenant_id: 1, file_id: 1, file_version: 1, version_group_id: 1, leaf_id: 1 },
  ...{ key_id: 1, key_version: 1, status: 1, status_version: 1, reason: 1, manifest_sha256: 1, signature: 1 },
  ...{ signature_suite: 1, archive_suite: 1, issued_at: 1, updated_at: 1 },
};

export const joinedProof = joinedRow('proof', proofColumns);
const asJson = rowAsJson('proof', proofColumns);

/** Of the file in the parameter `id`. */
export const proofOfFile: BesideSession<ProofRow> = {
  toValue: params => recordId.safeParse((params as { readonly id?: unknown }).id).data,
  toJson: (engine, value) => sql<string | null>`(
    select ${asJson[engine]} from proof where proof.file_id = ${value} and proof.tenant_id = account.tenant_id)`,
  rowOf: readBeside,
};

export const findProofOfFile = (db: Db, tenantId: Key, fileId: Key): Promise<ProofRow | null> =>
  findWhere(db, 'proof', { file_id: fileId, tenant_id: tenantId });

/** The keys that signed the proofs of these files, without duplicates. */
export async function listKeysOfFiles(db: Db, tenantId: Key, fileIds: readonly Key[]): Promise<ProofKeyRow[]> {
  if (fileIds.length === 0) return [];
  return db
    .selectFrom('proof_key')
    .selectAll()
    .where(eb =>
      eb.exists(
        eb
          .selectFrom('proof')
          .select('proof.id')
          .whereRef('proof.key_id', '=', 'proof_key.key_id')
          .whereRef('proof.key_version', '=', 'proof_key.key_version')
          .where('proof.tenant_id', '=', tenantId)
          .where('proof.file_id', 'in', fileIds),
      ),
    )
    .orderBy('id', 'desc')
    .execute();
}

export const findProof = (db: Db, proofId: string): Promise<ProofRow | null> =>
  findWhere(db, 'proof', { proof_id: proofId });

/** For the leaves without a proof; returns the inserted rows. */
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

/** A status change from one of the given statuses; returns null if the proof has none of them. */
export const stepStatus = (tx: Tx, id: Key, { from, to, reason, now }: Step): Promise<ProofRow | null> =>
  findFirst(
    tx
      .updateTable('proof')
      .set(eb => ({ status: to, status_version: eb('status_version', '+', 1), reason, updated_at: now }))
      .where('id', '=', id)
      .where('status', 'in', from)
      .returningAll(),
  );

/** To the next status according to the ledger; returns null if the status has changed meanwhile. */
export const recallStatus = (
  tx: Tx,
  { id, version }: { readonly id: Key; readonly version: number },
  { to, reason, now }: Omit<Step, 'from'>,
): Promise<ProofRow | null> =>
  findFirst(
    tx
      .updateTable('proof')
      .set({ status: to, status_version: version + 1, reason, updated_at: now })
      .where('id', '=', id)
      .where('status_version', '=', version)
      .returningAll(),
  );

export type ChainEnd = { readonly versionGroupId: Key; readonly version: number };

/** The active proofs of earlier versions. */
export const listInForce = (tx: Tx, { versionGroupId, version }: ChainEnd): Promise<ProofRow[]> =>
  selectWhere(tx, 'proof', { version_group_id: versionGroupId, status: 'ACTIVE' })
    .selectAll()
    .where('file_version', '<', version)
    .execute();

/** All active proofs of earlier versions become SUPERSEDED. */
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

export const findActiveKey = (db: Db): Promise<ProofKeyRow | null> => findWhere(db, 'proof_key', { status: 'ACTIVE' });

/** Prevents retirement of the key until the transaction ends. Returns false if it is already retired. */
export async function lockActiveKey(tx: Tx, engine: Engine, { id }: ProofKeyRow): Promise<boolean> {
  const query = tx.selectFrom('proof_key').select('id').where('id', '=', id).where('status', '=', 'ACTIVE');
  // SQLite has a single writer and needs no lock.
  const row = await (engine === 'postgres' ? query.forShare() : query).executeTakeFirst();
  return row !== undefined;
}

export const findKey = (db: Db, keyId: string, keyVersion: number): Promise<ProofKeyRow | null> =>
  findWhere(db, 'proof_key', { key_id: keyId, key_version: keyVersion });

export const listKeys = (db: Db): Promise<ProofKeyRow[]> =>
  db.selectFrom('proof_key').selectAll().orderBy('key_version').execute();

export async function insertKey(tx: Tx, key: Omit<Insertable<Tables['proof_key']>, 'id'>): Promise<void> {
  await tx
    .insertInto('proof_key')
    .values(key)
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

/** Returns false if another key is active already. */
export async function retireKey(tx: Tx, key: ProofKeyRow, now: Time): Promise<boolean> {
  const active = { id: key.id, status: 'ACTIVE' } as const;
  return (await updateAndCount(tx, 'proof_key', active, { status: 'RETIRED', retired_at: now })) === 1;
}
