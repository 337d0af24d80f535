// The text of a file's manifest in the database, to read it and to replace it by another.
import { packManifest, unpackManifest } from '@recordproof/server/features/manifests/index.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import type { ChunkManifest } from '@recordproof/shared/evidence/chunk-manifest.ts';

export async function readManifestText(db: Db, fileId: number | string): Promise<string> {
  const query = db.selectFrom('manifest').select(['manifest_hash', 'packed']).where('file_id', '=', Number(fileId));
  return unpackManifest(await query.executeTakeFirstOrThrow());
}

export const readStoredManifest = async (db: Db, fileId: number | string): Promise<ChunkManifest> =>
  JSON.parse(await readManifestText(db, fileId));

export const manifestOfText = (text: string) => ({ packed: packManifest('', text) });

export async function writeManifestText(db: Db, fileId: number | string, text: string): Promise<void> {
  await db.updateTable('manifest').set(manifestOfText(text)).where('file_id', '=', Number(fileId)).execute();
}
