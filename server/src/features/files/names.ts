// Names in a folder: those taken, and the next free one. Comparison ignores case and Unicode form.
import { numberedName, splitName } from '@recordproof/shared/file-path.ts';
import { sql } from 'kysely';
import { findFirst, selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { directlyIn, newestLive } from './list-queries.ts';
import { type FileRow, foldFileName } from './queries.ts';

/** Folded names of the newest versions in the folder: those requested, and their numbered forms. */
export async function findTakenNames(
  db: Db,
  { tenantId, ownerId }: Owner,
  path: string | null,
  names: readonly string[],
  /** A version chain whose own name is ignored. */
  exceptGroup: Key = 0,
): Promise<Set<string>> {
  const foldedNames = [...new Set(names.map(foldFileName))];
  const taken = new Set<string>();
  for (let at = 0; at < foldedNames.length; at += 200) {
    const some = foldedNames.slice(at, at + 200);
    const matches = some.flatMap(name => {
      const stem = splitName(name)[0];
      return [
        sql<boolean>`name_folded = ${name}`,
        sql<boolean>`(name_folded >= ${`${stem} (`} and name_folded < ${`${stem} )`})`,
      ];
    });
    const rows = await selectWhere(db, 'file', { tenant_id: tenantId, owner_id: ownerId })
      .select('name_folded')
      .where(directlyIn(path ?? ''))
      .where(newestLive)
      .where('version_group_id', '<>', exceptGroup)
      .where(sql<boolean>`(${sql.join(matches, sql` or `)})`)
      .execute();
    for (const row of rows) taken.add(row.name_folded);
  }
  return taken;
}

/** The newest file with this name directly in the folder. */
export const findNamedIn = (
  db: Db,
  { tenantId, ownerId }: Owner,
  path: string | null,
  name: string,
): Promise<FileRow | null> =>
  findFirst(
    selectWhere(db, 'file', { tenant_id: tenantId, owner_id: ownerId })
      .selectAll()
      .where(directlyIn(path ?? ''))
      .where(newestLive)
      .where('name_folded', '=', foldFileName(name))
      .orderBy('id', 'desc')
      .limit(1),
  );

/** `letter (2).pdf` if `letter.pdf` is taken. Adds the returned name to the taken ones. */
export function takeFreeName(taken: Set<string>, name: string): string {
  let free = name;
  for (let number = 2; taken.has(foldFileName(free)); number += 1) free = numberedName(name, number);
  taken.add(foldFileName(free));
  return free;
}
