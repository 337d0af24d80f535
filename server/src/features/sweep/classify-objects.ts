// Classifying objects in the store, by name: which of them are unreferenced. Ledger, audit log backups and other
// objects have other prefixes: no census lists them, so they are never swept.
import type { Db, Key } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { type ListedObject, type ObjectStore, ObjectStoreError } from '../../platform/objects/object-store.ts';
import { listStagingAreaPaths } from '../short-uploads/index.ts';
import { listReferencedOrDeleting } from '../stored-objects/index.ts';
import { listStagingFolders } from '../upload-sessions/index.ts';
import { listReferenced, type NewCandidate } from './census-queries.ts';

const stored = /^tenant-\d+\/[0-9a-f]{2}\/[0-9a-f]{64}\.[0-9a-f]{16}$/;
const short = /^(short\/[0-9A-Za-z]+\/)\d+$/;
const staged = /^staging\/([0-9A-Za-z]+)\/\d+(-[0-9A-Za-z]+)?$/;

/** Upload prefixes name no tenant: they are assigned to a tenant only if it is the only one. */
export const prefixesOf = (tenantId: Key, isOnlyTenant: boolean): readonly string[] => [
  `tenant-${tenantId}/`,
  ...(isOnlyTenant ? ['short/', 'staging/'] : []),
];

type ObjectName =
  | { readonly kind: 'stored' }
  | { readonly kind: 'short'; readonly area: string }
  | { readonly kind: 'staged'; readonly upload: string }
  | { readonly kind: 'foreign' };

function parseObjectName(key: string): ObjectName {
  if (stored.test(key)) return { kind: 'stored' };
  const [, area] = short.exec(key) ?? [];
  if (area !== undefined) return { kind: 'short', area };
  const [, upload] = staged.exec(key) ?? [];
  return upload === undefined ? { kind: 'foreign' } : { kind: 'staged', upload };
}

type Classification = { readonly unreferenced: readonly NewCandidate[]; readonly foreign: number };

type Heads = Pick<ObjectStore, 'findHead' | 'digest'>;

/**
 * Paths of uploads are queried before the rows of objects: a stored object gets its row before its upload path is
 * deleted, so it is found in at least one of them.
 */
export async function classifyObjects(
  { db, objects }: { readonly db: Db; readonly objects: Heads },
  censusId: Key,
  listed: readonly ListedObject[],
): Promise<Classification> {
  const named = listed.map(object => ({ object, name: parseObjectName(object.key) }));
  const areas = named.flatMap(({ name }) => (name.kind === 'short' ? [name.area] : []));
  const uploads = named.flatMap(({ name }) => (name.kind === 'staged' ? [name.upload] : []));
  const knownAreas = await listStagingAreaPaths(db, [...new Set(areas)]);
  const openUploads = await listStagingFolders(db, [...new Set(uploads)]);
  const loose = named.flatMap(({ object, name }) => {
    if (name.kind === 'foreign') return [];
    if (name.kind === 'short' && knownAreas.has(name.area)) return [];
    return name.kind === 'staged' && openUploads.has(name.upload) ? [] : [object];
  });
  const paths = loose.map(({ key }) => key);
  const keptPaths = await listReferencedOrDeleting(db, paths);
  const referenced = await listReferenced(db, censusId, paths);
  const left = loose.filter(({ key }) => !keptPaths.has(key) && !referenced.has(key));
  const found = await inParallel(left, object => toCandidate(objects, object));
  const foreign = named.filter(({ name }) => name.kind === 'foreign').length;
  return {
    unreferenced: found.filter(each => each !== null && each !== 'unreadable'),
    foreign: foreign + found.filter(each => each === 'unreadable').length,
  };
}

/** Returns null if it has been deleted meanwhile. */
async function toCandidate(objects: Heads, { key, modifiedAt }: ListedObject) {
  const identified = await readDigest(objects, key);
  if (identified === null || identified === 'unreadable') return identified;
  return { path: key, ...identified, modified_at: modifiedAt.getTime() };
}

/** Length and digest, as the store declares them; otherwise computed from the bytes. */
export async function readDigest(
  objects: Heads,
  key: string,
): Promise<{ readonly size: number; readonly sha256: string } | null | 'unreadable'> {
  try {
    const head = await objects.findHead(key);
    if (head === null) return null;
    return { size: head.size, sha256: head.sha256 ?? (await objects.digest(key)).sha256 };
  } catch (error) {
    if (error instanceof ObjectStoreError && error.kind === 'NOT_FOUND') return null;
    if (error instanceof ObjectStoreError && error.kind === 'CORRUPT') return 'unreadable';
    throw error;
  }
}
