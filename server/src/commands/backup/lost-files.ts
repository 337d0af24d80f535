// Files lost with the damaged objects of a backup, by owner, folder and name. The restored installation records them as
// damaged, as a reader or an integrity check would.
import { listTenants, listUsernames } from '../../features/accounts/index.ts';
import { fileIdOf, isLive, listFilesById } from '../../features/files/index.ts';
import { raiseAlert } from '../../features/integrity/index.ts';
import { type HolderOfPath, listHoldersOf, listNotedPaths } from '../../features/stored-objects/index.ts';
import { localCall } from '../../platform/call.ts';
import type { Db, Key, Time } from '../../platform/db/tables.ts';
import type { ObjectEntry } from './copy-objects.ts';

type LostFile = {
  readonly tenant: string;
  readonly owner: string;
  /** The original folder, if any. */
  readonly path: string | null;
  readonly name: string;
  readonly sizeBytes: number;
  readonly fileId: Key;
  readonly fileHash: string;
  /** In the owner's trash. */
  readonly isDeleted: boolean;
  readonly damagedObjects: number;
};

type LostObject = { readonly key: string; readonly sha256: string; readonly usedBy: string };

export type LostFiles = {
  readonly files: readonly LostFile[];
  /** Objects that belong to no file: images, unfinished uploads, archives of the audit log. */
  readonly others: readonly LostObject[];
};

type LostEntry = { readonly tenantId: Key; readonly file: LostFile; readonly entry: ObjectEntry };

const keysAtOnce = 500;

/** Sorted by tenant, owner, folder and name. */
export async function findLostFiles(db: Db, damaged: readonly ObjectEntry[]): Promise<LostFiles> {
  return toLostFiles(await findLost(db, damaged));
}

/** Raises an integrity alert for each lost file that still exists. */
export async function recordLostFiles(
  db: Db,
  damaged: readonly ObjectEntry[],
  { backup, now }: { readonly backup: string; readonly now: Time },
): Promise<LostFiles> {
  const lost = await findLost(db, damaged);
  const live = [...Map.groupBy(lost.files, ({ file }) => file.fileId).values()].filter(
    ([first]) => first?.file.isDeleted === false,
  );
  for (const [first, ...more] of live) {
    if (first === undefined) continue;
    const { entry, file, tenantId } = first;
    const evidence = {
      path: entry.key,
      reason: `the object is damaged in the backup ${backup}`,
      damagedChunks: more.length + 1,
      expectedHash: `sha256:${entry.sha256}`,
    };
    const call = localCall('restore', tenantId, now);
    await db
      .transaction()
      .execute(tx => raiseAlert(tx, call, file.fileId, { alertType: 'OBJECT_NOT_FOUND', evidence }, now));
  }
  return toLostFiles(lost);
}

type Lost = { readonly files: readonly LostEntry[]; readonly others: readonly LostObject[] };

async function findLost(db: Db, damaged: readonly ObjectEntry[]): Promise<Lost> {
  const files: LostEntry[] = [];
  const others: LostObject[] = [];
  for (let at = 0; at < damaged.length; at += keysAtOnce) {
    const entries = new Map(damaged.slice(at, at + keysAtOnce).map(entry => [entry.key, entry]));
    const holders = await listHoldersOf(db, [...entries.keys()]);
    const named = await nameFiles(db, holders, entries);
    files.push(...named);
    others.push(...(await listOthers(db, holders, entries)));
  }
  return { files, others };
}

type Entries = ReadonlyMap<string, ObjectEntry>;

async function nameFiles(db: Db, holders: readonly HolderOfPath[], entries: Entries): Promise<LostEntry[]> {
  const tenants = new Map((await listTenants(db)).map(({ id, name }) => [id, name]));
  const found: LostEntry[] = [];
  for (const [tenantId, held] of Map.groupBy(holders, holder => holder.tenantId)) {
    const ids = new Set(held.map(({ holder }) => fileIdOf(holder)).filter(id => id !== null));
    if (ids.size === 0) continue;
    const rows = new Map((await listFilesById(db, tenantId, [...ids])).map(row => [row.id, row]));
    const owners = await listUsernames(db, tenantId, [...new Set([...rows.values()].map(row => row.owner_id))]);
    for (const { path: key, holder } of held) {
      const file = rows.get(fileIdOf(holder) ?? -1);
      const entry = entries.get(key);
      if (file === undefined || entry === undefined) continue;
      const lost = {
        tenant: tenants.get(tenantId) ?? String(tenantId),
        owner: owners.get(file.owner_id) ?? String(file.owner_id),
        path: file.path,
        name: file.file_name,
        sizeBytes: file.file_size,
        fileId: file.id,
        fileHash: file.file_hash,
        isDeleted: !isLive(file),
        damagedObjects: 1,
      };
      found.push({ tenantId, file: lost, entry });
    }
  }
  return found;
}

/**
 * Lost objects that belong to no file. Stored objects without a holder are left out; objects without a row are named by
 * their area.
 */
async function listOthers(db: Db, holders: readonly HolderOfPath[], entries: Entries): Promise<LostObject[]> {
  const noted = await listNotedPaths(db, [...entries.keys()]);
  const held = holders
    .filter(({ holder }) => fileIdOf(holder) === null)
    .map(({ path, holder }) => ({ key: path, usedBy: holder }));
  const elsewhere = [...entries.keys()]
    .filter(key => !noted.has(key))
    .map(key => ({ key, usedBy: key.split('/')[0] ?? '' }));
  return [...held, ...elsewhere].map(lost => ({ ...lost, sha256: entries.get(lost.key)?.sha256 ?? '' }));
}

const toSortKey = ({ tenant, owner, path, name, fileId }: LostFile): string =>
  [tenant, owner, path ?? '', name, String(fileId).padStart(16, '0')].join('\0');

function toLostFiles({ files, others }: Lost): LostFiles {
  const byFile = Map.groupBy(files, ({ file }) => file.fileId);
  const named = [...byFile.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first.file, damagedObjects: more.length + 1 }],
  );
  return { files: named.sort((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1)), others };
}

/** One line: owner, path and name, size. */
export function toLostLine({ owner, path, name, sizeBytes, isDeleted }: LostFile): string {
  const filePath = path === null ? name : `${path}/${name}`;
  return `${owner}: ${filePath} (${sizeBytes} bytes)${isDeleted ? ', in the trash' : ''}`;
}
