// Chunk manifests of files: stored as the canonical bytes that are hashed, packed, one ACTIVE per file.

import {
  buildChunkManifest,
  type ChunkManifest,
  type ChunkPlan,
  chunkManifestBytes,
  parseChunkManifest,
} from '@recordproof/shared/evidence/chunk-manifest.ts';
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { selectWhere } from '../../platform/db/rows.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Write } from '../../platform/db/write-together.ts';
import { packManifest, unpackManifest } from './packed-manifest.ts';

export type BuiltManifest = { readonly manifestHash: string; readonly canonicalJson: string };

export function buildManifest(plan: ChunkPlan): BuiltManifest {
  const manifest = buildChunkManifest(plan);
  return { manifestHash: manifest.manifestHash, canonicalJson: parseUtf8(chunkManifestBytes(manifest)) };
}

type NewManifest = BuiltManifest & {
  readonly tenantId: Key;
  readonly fileId: Key;
  readonly fileVersion: number;
};

/** Violates a unique index if one of the files already has an active manifest. */
export async function activateManifests(tx: Tx, manifests: readonly NewManifest[], now: Time): Promise<void> {
  await writeManifests(tx, manifests, now).execute();
}

/** The same for `writeTogether`. */
export function writeManifests(tx: Tx, manifests: readonly NewManifest[], now: Time): Write {
  const rows = manifests.map(manifest => ({
    tenant_id: manifest.tenantId,
    file_id: manifest.fileId,
    file_version: manifest.fileVersion,
    manifest_hash: manifest.manifestHash,
    packed: packManifest(manifest.manifestHash, manifest.canonicalJson),
    status: 'ACTIVE',
    deleted: 0,
    created_at: now,
  }));
  return tx.insertInto('manifest').values(rows).returning('file_id');
}

export const findActiveManifestJson = async (db: Db, tenantId: Key, fileId: Key): Promise<string | null> =>
  (await listActiveManifestJson(db, tenantId, [fileId])).get(fileId) ?? null;

const activeOf = (db: Db, tenantId: Key, fileIds: readonly Key[]) =>
  selectWhere(db, 'manifest', { tenant_id: tenantId, status: 'ACTIVE', deleted: 0 })
    .select(['file_id', 'manifest_hash'])
    .where('file_id', 'in', fileIds);

/** Hashes only, by file; files without a manifest are left out. */
export async function listActiveManifestHashes(
  db: Db,
  tenantId: Key,
  fileIds: readonly Key[],
): Promise<ReadonlyMap<Key, string>> {
  const rows = await activeOf(db, tenantId, fileIds).execute();
  return new Map(rows.map(row => [row.file_id, row.manifest_hash]));
}

/** By file; files without a manifest are left out. A manifest may be large: pass few files at a time. */
export async function listActiveManifestJson(
  db: Db,
  tenantId: Key,
  fileIds: readonly Key[],
): Promise<ReadonlyMap<Key, string>> {
  const rows = await activeOf(db, tenantId, fileIds).select('packed').execute();
  return new Map(rows.map(row => [row.file_id, unpackManifest(row)]));
}

/** Returns null if there is none; throws if the stored text is not a valid manifest. */
export async function findActiveManifest(db: Db, tenantId: Key, fileId: Key): Promise<ChunkManifest | null> {
  const json = await findActiveManifestJson(db, tenantId, fileId);
  return json === null ? null : parseChunkManifest(toUtf8(json));
}

/**
 * Current and former manifests with these hashes, by file: the basis of proofs. A manifest may be large: pass few files
 * at a time.
 */
export async function listManifestJson(
  db: Db,
  tenantId: Key,
  keys: readonly { readonly fileId: Key; readonly manifestHash: string }[],
): Promise<ReadonlyMap<Key, string>> {
  const rows = await selectWhere(db, 'manifest', { tenant_id: tenantId })
    .select(['file_id', 'manifest_hash', 'packed'])
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('file_id', 'manifest_hash'),
        'in',
        keys.map(({ fileId, manifestHash }) => tuple(fileId, manifestHash)),
      ),
    )
    .where('deleted', '=', 0)
    .execute();
  return new Map(rows.map(row => [row.file_id, unpackManifest(row)]));
}
