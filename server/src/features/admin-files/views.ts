// File records as administrators see them.
import type { AdministeredFile, FileDetails, ProvenanceLink } from '@recordproof/shared/api/admin-files.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import { getPerson, listPeople, type PersonRow } from '../accounts/index.ts';
import { type FileRow, listFilesById, toFileViews } from '../files/index.ts';
import { countCopies, listCopies, listProvenance } from './queries.ts';

export async function toAdministeredFiles(
  db: Db,
  tenantId: Key,
  rows: readonly FileRow[],
): Promise<AdministeredFile[]> {
  const owners = await listOwners(db, tenantId, rows);
  const views = await toFileViews(db, { tenantId }, rows);
  return rows.flatMap((row, index) => {
    const view = views[index];
    if (view === undefined) return [];
    const { externalId: ownerId } = getPerson(owners, row.owner_id);
    return { ...view, ownerId, deletedAt: toIsoOrNull(row.deleted_at), provenanceDepth: row.provenance_depth };
  });
}

const listOwners = (db: Db, tenantId: Key, rows: readonly FileRow[]): Promise<ReadonlyMap<Key, PersonRow>> =>
  listPeople(
    db,
    tenantId,
    rows.map(row => row.owner_id),
  );

export async function toFileDetails(db: Db, row: FileRow): Promise<FileDetails> {
  const [origin, copies] = [await listProvenance(db, row), await listCopies(db, row)];
  const rows = await listFilesById(db, row.tenant_id, [...origin, ...copies]);
  const links = toLinks(rows, await listOwners(db, row.tenant_id, rows));
  const [view] = await toAdministeredFiles(db, row.tenant_id, [row]);
  return {
    ...(view as AdministeredFile),
    provenance: origin.flatMap(id => links.get(id) ?? []),
    copies: copies.flatMap(id => links.get(id) ?? []),
    copyCount: await countCopies(db, row),
  };
}

const toLinks = (rows: readonly FileRow[], owners: ReadonlyMap<Key, PersonRow>): ReadonlyMap<Key, ProvenanceLink> =>
  new Map(
    rows.map(row => {
      const { externalId: ownerId, username: ownerName } = getPerson(owners, row.owner_id);
      const link = {
        depth: row.provenance_depth,
        id: toWireId(row.id),
        fileHash: row.file_hash,
        fileName: row.file_name,
        version: row.version,
        status: row.status,
        ownerId,
        ownerName,
        createdAt: toIso(row.created_at),
      };
      return [row.id, link] as const;
    }),
  );
