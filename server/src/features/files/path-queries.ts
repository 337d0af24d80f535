// Paths of own files by id or hash.
import type { Db, Key } from '../../platform/db/tables.ts';
import { toKey } from '../../platform/ids.ts';

const isHash = (name: string): boolean => name.length === 64;

/** By id or hash, of one owner; null for the top level. */
export async function findFilePaths(
  db: Db,
  { tenantId, ownerId }: { readonly tenantId: Key; readonly ownerId: Key },
  names: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (names.length === 0) return new Map();
  const [hashes, ids] = [names.filter(isHash), names.filter(name => !isHash(name))];
  const query = db
    .selectFrom('file')
    .select(['id', 'file_hash', 'path'])
    .where('tenant_id', '=', tenantId)
    .where('owner_id', '=', ownerId)
    .where(eb =>
      eb.or([
        ...(hashes.length > 0 ? [eb('file_hash', 'in', hashes)] : []),
        ...(ids.length > 0 ? [eb('id', 'in', ids.map(toKey))] : []),
      ]),
    );
  const rows = await query.execute();
  return new Map(
    rows.flatMap(row => [
      [row.file_hash, row.path],
      [String(row.id), row.path],
    ]),
  );
}
