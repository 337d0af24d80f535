// Database reads for the examination of files: manifests, envelopes of the owners, and rows of stored objects.
import type { Db, Key } from '../../platform/db/tables.ts';
import { listOwnerEnvelopes } from '../envelopes/index.ts';
import { type FileRow, holderOf } from '../files/index.ts';
import { listActiveManifestJson } from '../manifests/index.ts';
import { type HeldBy, listHeldBy } from '../stored-objects/index.ts';
import type { Subject } from './examine-file.ts';

/** In the order of the files; pass few, because a manifest may be large. */
export async function readSubjects(db: Db, tenantId: Key, files: readonly FileRow[]): Promise<Subject[]> {
  if (files.length === 0) return [];
  const manifests = await listActiveManifestJson(
    db,
    tenantId,
    files.map(({ id }) => id),
  );
  const envelopes = await listOwnerEnvelopes(db, tenantId, files);
  const held = Map.groupBy(await listHeldBy(db, tenantId, files.map(holderOf)), ({ holder }) => holder);
  return files.map(file => ({
    file,
    manifestJson: manifests.get(file.id) ?? null,
    envelope: envelopes.get(file.id) ?? null,
    kept: byPath(held.get(holderOf(file)) ?? []),
  }));
}

const byPath = (objects: readonly HeldBy[]) => new Map(objects.map(object => [object.path, object]));
