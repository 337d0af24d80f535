// The chunk manifest of a file: stored as the canonical bytes its hash is over, one ACTIVE per file.
import { createHash } from 'node:crypto';
import {
  buildChunkManifest,
  type ChunkManifest,
  type ChunkPlan,
  chunkManifestBytes,
  parseChunkManifest,
} from '@recordproof/shared/evidence/chunk-manifest.ts';
import { parseUtf8, type Sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';

const sha256: Sha256 = bytes => createHash('sha256').update(bytes).digest();

export type BuiltManifest = { readonly manifestHash: string; readonly canonicalJson: string };

export function buildManifest(plan: ChunkPlan): BuiltManifest {
  const manifest = buildChunkManifest(plan, sha256);
  return { manifestHash: manifest.manifestHash, canonicalJson: parseUtf8(chunkManifestBytes(manifest)) };
}

type Slot = { readonly tenantId: Key; readonly fileId: Key; readonly fileVersion: number };

/** Fails on the database's own rule when the file has an active manifest already. */
export async function activateManifest(tx: Tx, slot: Slot, manifest: BuiltManifest, now: Time): Promise<void> {
  await tx
    .insertInto('manifest')
    .values({
      tenant_id: slot.tenantId,
      file_id: slot.fileId,
      file_version: slot.fileVersion,
      manifest_hash: manifest.manifestHash,
      canonical_json: manifest.canonicalJson,
      status: 'ACTIVE',
      deleted: 0,
      created_at: now,
    })
    .execute();
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

/** Null when there is none; throws when the stored text is no manifest any more. */
export async function findActiveManifest(db: Db, tenantId: Key, fileId: Key): Promise<ChunkManifest | null> {
  const json = await findActiveManifestJson(db, tenantId, fileId);
  return json === null ? null : parseChunkManifest(toUtf8(json), sha256);
}

/** The manifest with this hash that the file has or once had: what a proof was made of. */
export async function findManifestJson(
  db: Db,
  { tenantId, fileId, manifestHash }: { readonly tenantId: Key; readonly fileId: Key; readonly manifestHash: string },
): Promise<string | null> {
  const row = await db
    .selectFrom('manifest')
    .select('canonical_json')
    .where('tenant_id', '=', tenantId)
    .where('file_id', '=', fileId)
    .where('manifest_hash', '=', manifestHash)
    .where('deleted', '=', 0)
    .executeTakeFirst();
  return row?.canonical_json ?? null;
}
