// Orphans: bytes without a row, and rows without a reference. Deleting one first takes it from possible holders, by
// locking its row.
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { finalCheckDelayMs } from './collect.ts';
import { insertDeleting, listReferencedIds, lockNoted, updateObjects } from './collect-queries.ts';
import { listNamed } from './named.ts';
import { moveCounts } from './verified-counts.ts';

type Orphan = { readonly tenantId: Key; readonly path: string; readonly sha256: string; readonly size: number };

/**
 * From the commit on it cannot be referenced any more, and the bytes may be deleted: by the caller or, after a crash,
 * by the collector after `dueAt`. Returns false if it has references. Idempotent.
 */
export async function markOrphanForDeletion(
  server: Pick<Server, 'database' | 'hooks'>,
  tx: Tx,
  orphan: Orphan,
  dueAt: Time,
): Promise<boolean> {
  const noted = await lockNoted(tx, server.database.kind, orphan.path);
  if (noted?.state !== 'DELETING' && (await listNamed(server, tx, [orphan.path])).size > 0) return false;
  if (noted === null) return insertDeleting(tx, orphan, dueAt);
  if (noted.tenant_id !== orphan.tenantId) return false;
  if (noted.state !== 'LIVE') return true;
  if (noted.due_at !== null || (await listReferencedIds(tx, [noted.id])).length > 0) return false;
  await updateObjects(tx, [noted.id], { state: 'DELETING', due_at: dueAt });
  await moveCounts(tx, { from: [noted] });
  return true;
}

/** The bytes were deleted. */
export async function markOrphanDeleted(tx: Tx, engine: Engine, path: string, now: Time): Promise<void> {
  const noted = await lockNoted(tx, engine, path);
  if (noted?.state === 'DELETING')
    await updateObjects(tx, [noted.id], { state: 'GONE', due_at: now + finalCheckDelayMs });
}
