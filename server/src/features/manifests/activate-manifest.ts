// The chunk manifest of a file: stored as the canonical bytes its hash is over, one ACTIVE per file.

import {
  buildChunkManifest,
  type ChunkManifest,
  type ChunkPlan,
  chunkManifestBytes,
  parseChunkManifest,
} from '@recordproof/shared/evidence/chunk-manifest.ts';
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

export type BuiltManifest = { readonly manifestHash: string; readonly canonicalJson: string };

export function buildManifest(plan: ChunkPlan): BuiltManifest {
  const manifest = buildChunkManifest(plan, sha256);
  return { manifestHash: manifest.manifestHash, canonicalJson: parseUtf8(chunkManifestBytes(manifest)) };
}

type NewManifest = BuiltManifest & {
  readonly tenantId: Key;
  readonly fileId: Key;
  readonly fileVersion: number;
};

/** Fails on the database's own rule when one of the files has an active manifest already. */
export async function activateManifests(tx: Tx, manifests: readonly NewManifest[], now: Time): Promise<void> {
  const rows = manifests.map(manifest => ({
    tenant_id: manifest.tenantId,
    file_id: manifest.fileId,
    file_version: manifest.fileVersion,
    manifest_hash: manifest.manifestHash,
    canonical_json: manifest.canonicalJson,
    status: 'ACTIVE',
    deleted: 0,
    created_at: now,
  }));
  await tx.insertInto('manifest').values(rows).execute();
}

export async function findActiveManifestJson(db: Db, tenantId: Key, fileId: Key): Promise<string | null> {
  const row = await db
    .selectFrom('manifest')
    .select('canonical_json')
    .where('tenant_id', '=', tenantId)
    .where('file_id', '=', fileId)
    .where('status', '=', 'ACTIVE')
    .where('deleted', '=', 0)
    .executeTakeFirst();
  return row?.canonical_json ?? null;
}

/** The hashes alone, by file; those that have none are left out. */
export async function listActiveManifestHashes(
  db: Db,
  tenantId: Key,
  fileIds: readonly Key[],
): Promise<ReadonlyMap<Key, string>> {
  const rows = await db
    .selectFrom('manifest')
    .select(['file_id', 'manifest_hash'])
    .where('tenant_id', '=', tenantId)
    .where('file_id', 'in', fileIds)
    .where('status', '=', 'ACTIVE')
    .where('deleted', '=', 0)
    .execute();
  return new Map(rows.map(row => [row.file_id, row.manifest_hash]));
}

/** By file; those that have none are left out. A manifest may be large: ask for few at a time. */
export async function listActiveManifestJson(
  db: Db,
  tenantId: Key,
  fileIds: readonly Key[],
): Promise<ReadonlyMap<Key, string>> {
  const rows = await db
    .selectFrom('manifest')
    .select(['file_id', 'canonical_json'])
    .where('tenant_id', '=', tenantId)
    .where('file_id', 'in', fileIds)
    .where('status', '=', 'ACTIVE')
    .where('deleted', '=', 0)
    .execute();
  return new Map(rows.map(row => [row.file_id, row.canonical_json]));
}

/** Null when there is none; throws when the stored text is no manifest any more. */
export async function findActiveManifest(db: Db, tenantId: Key, fileId: Key): Promise<ChunkManifest | null> {
  const json = await findActiveManifestJson(db, tenantId, fileId);
  return json === null ? null : parseChunkManifest(toUtf8(json), sha256);
}

/**
 * The manifests with these hashes that the files have or once had, by file: what proofs were made of. A manifest may be
 * large: ask for few at a time.
 */
export async function listManifestJson(
  db: Db,
  tenantId: Key,
  wanted: readonly { readonly fileId: Key; readonly manifestHash: string }[],
): Promise<ReadonlyMap<Key, string>> {
  const rows = await db
    .selectFrom('manifest')
    .select(['file_id', 'canonical_json'])
    .where('tenant_id', '=', tenantId)
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('file_id', 'manifest_hash'),
        'in',
        wanted.map(({ fileId, manifestHash }) => tuple(fileId, manifestHash)),
      ),
    )
    .where('deleted', '=', 0)
    .execute();
  return new Map(rows.map(row => [row.file_id, row.canonical_json]));
}
