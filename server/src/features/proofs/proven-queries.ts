// SQL that reads a file together with its proof and with all that the proof is made of.

import { sql } from 'kysely';
import { plainColumns } from '../../platform/db/joined-rows.ts';
import type { Database } from '../../platform/db/open-db.ts';
import { prepare } from '../../platform/db/prepared.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { joinedBatch, joinedLeaf } from '../attestation/index.ts';
import type { FileRow } from '../files/index.ts';
import { unpackManifest } from '../manifests/index.ts';
import type { Stored } from './evidence.ts';
import { type OnLedger, selectPositions, toLedgerSubjects, toOnLedger } from './ledger-entries.ts';
import { joinedProof, type ProofRow } from './queries.ts';

/** A file with its proof and the evidence of the proof, as far as one statement has read them. */
export type Proven = {
  readonly file: FileRow;
  readonly proof?: ProofRow | null;
  readonly stored?: Stored | null | undefined;
  /** Present if it was read in that statement. */
  readonly ledger?: OnLedger;
};

type FindProven = (tenantId: Key, fileId: Key) => Promise<Proven | null>;

/**
 * `stored` only with a proof: the evidence of a new one is read when it is issued. Compiled once: it names many
 * columns.
 */
export function prepareFindProven(database: Pick<Database, 'db' | 'prepareFirst'>): FindProven {
  const find = prepare(database, (db, [tenantId, fileId]: [Key, Key]) => selectProven(db, tenantId, fileId));
  return async (tenantId, fileId) => {
    const row = await find(tenantId, fileId);
    return row === undefined ? null : toProven(row);
  };
}

type FindOnLedger = (named: ProofRow) => Promise<Proven | null>;

/** As `prepareFindProven`, with the ledger entries of a proof that was read before. */
export function prepareFindOnLedger(database: Pick<Database, 'db' | 'prepareFirst'>): FindOnLedger {
  const find = prepare(database, (db, [tenantId, fileId, ...subjects]: [Key, Key, ...string[]]) =>
    selectProven(db, tenantId, fileId).select(selectPositions(subjects)),
  );
  return async named => {
    const subjects = toLedgerSubjects(named);
    const row = await find(named.tenant_id, named.file_id, ...subjects);
    if (row === undefined) return null;
    const proven = toProven(row);
    const isCurrent = proven.proof && toLedgerSubjects(proven.proof).join() === subjects.join();
    return isCurrent ? { ...proven, ledger: toOnLedger(row) } : proven;
  };
}

type ProvenRow = FileRow & { readonly packed_manifest: Buffer | null };

function toProven(row: ProvenRow): Proven {
  const { packed_manifest: packed, ...file } = plainColumns(row);
  const [leaf, batch] = [joinedLeaf.find(row), joinedBatch.find(row)];
  const isStored = leaf !== null && batch?.status === 'COMPLETED';
  const manifestJson = leaf && packed && unpackManifest({ manifest_hash: leaf.manifest_hash, packed });
  const stored = isStored ? { leaf, batch, file, manifestJson } : null;
  const proof = joinedProof.find(row);
  return { file, proof, stored: proof === null ? undefined : stored };
}

const selectProven = (db: Db, tenantId: Key, fileId: Key) =>
  db
    .selectFrom('file')
    .leftJoin('proof', join =>
      join.onRef('proof.file_id', '=', 'file.id').onRef('proof.tenant_id', '=', 'file.tenant_id'),
    )
    .leftJoin('attestation_leaf', join =>
      join.onRef('attestation_leaf.file_id', '=', 'file.id').onRef('attestation_leaf.tenant_id', '=', 'file.tenant_id'),
    )
    .leftJoin('attestation_batch', join =>
      join
        .onRef('attestation_batch.id', '=', 'attestation_leaf.batch_id')
        .onRef('attestation_batch.tenant_id', '=', 'file.tenant_id'),
    )
    .selectAll('file')
    .select([...joinedProof.selection, ...joinedLeaf.selection, ...joinedBatch.selection])
    .select(eb =>
      eb
        .selectFrom('manifest')
        .select('packed')
        .whereRef('manifest.tenant_id', '=', 'file.tenant_id')
        .whereRef('manifest.file_id', '=', 'file.id')
        .whereRef('manifest.manifest_hash', '=', 'attestation_leaf.manifest_hash')
        .where(sql<boolean>`manifest.deleted = 0`)
        .limit(sql.lit(1))
        .as('packed_manifest'),
    )
    .where('file.id', '=', fileId)
    .where('file.tenant_id', '=', tenantId);
