// Damage of one stored object: raises an alert for every file that uses it, and repairs it if another file of the same
// content has the bytes.
import { type ManifestChunk, readManifestShape } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import type { Call, Party } from '../../platform/call.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { type FileRow, listFilesById, listFilesOfContent } from '../files/index.ts';
import { type DueObject, listHolders } from '../stored-objects/index.ts';
import { type ChunkProblem, type StoredBytes, toFindings } from './examine-chunks.ts';
import { readSubjects } from './examine-file.ts';
import type { Healing } from './heal-chunk.ts';
import { findObjectAlert } from './queries.ts';
import { raiseAlert } from './raise-alert.ts';
import { repairAlert } from './repair.ts';
import { toFileId } from './resolve-alerts.ts';

type Damage = {
  readonly object: DueObject;
  readonly problem: ChunkProblem<StoredBytes>;
  readonly signal: AbortSignal;
};

const mostHolders = 1000;

/** Returns false if no stored file uses the object: an upload may not have written it yet. */
export async function reportDamage(
  server: Healing,
  call: Call<Party>,
  { object, problem, signal }: Damage,
): Promise<boolean> {
  const { database, clock, log } = server;
  const fileIds = (await listHolders(database.db, object.id, mostHolders)).flatMap(toFileId);
  const files = await listFilesById(database.db, object.tenant_id, fileIds);
  let isOfFile = false;
  for (const file of files) {
    const chunk = await findChunk(server, file, object.path);
    if (chunk === null || file.objects_released_at !== null) continue;
    isOfFile = true;
    const which = { fileId: file.id, chunk: chunk.index, problem: problem.alertType };
    log.error(which, 'the scrub found a damaged chunk');
    for (const finding of toFindings([{ ...problem, chunk }]))
      await database.db.transaction().execute(tx => raiseAlert(tx, call, file.id, finding, clock.now()));
    await heal(server, call, file, signal);
  }
  return isOfFile;
}

async function findChunk({ database }: Healing, file: FileRow, path: string): Promise<ManifestChunk | null> {
  const [subject] = await readSubjects(database.db, file.tenant_id, [file]);
  if (subject?.manifestJson == null) return null;
  try {
    const { chunks } = readManifestShape(toUtf8(subject.manifestJson));
    return chunks.find(({ storagePath }) => storagePath === path) ?? null;
  } catch {
    return null; // a damaged manifest is found by file checks
  }
}

/** A repair reads the whole file, so it needs a donor first. */
async function heal(server: Healing, call: Call<Party>, file: FileRow, signal: AbortSignal): Promise<void> {
  const { db } = server.database;
  if ((await listFilesOfContent(db, file, 1)).length === 0) return;
  const alert = await findObjectAlert(db, file.tenant_id, file.id);
  if (alert === null) return;
  try {
    await repairAlert(server, call, { id: alert.id, signal });
  } catch (error) {
    signal.throwIfAborted();
    server.log.warn({ fileId: file.id, error: toErrorText(error) }, 'failed to repair a damaged file');
  }
}
