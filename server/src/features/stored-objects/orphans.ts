// Objects that nobody holds and no collector knows of: bytes without a row, and rows without a hold. Whoever wants to
// delete one takes it away from all others first, by its row, as a holder would.
import type { Engine } from '../../platform/db/open-db.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { lastLookMs } from './collect.ts';
import { insertDeleting, listStillHeld, lockNoted, updateObjects } from './collect-queries.ts';
import { listNamed } from './named.ts';

type Orphan = { readonly tenantId: Key; readonly path: string; readonly sha256: string; readonly size: number };

/**
 * From the commit on nobody can hold it any more, and the bytes may be deleted: by the caller, or, should it die, by the
 * collector after `dueAt`. False where somebody keeps it. Giving up twice is giving up once.
 */
export async function giveUpOrphan(
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
  if (noted.due_at !== null || (await listStillHeld(tx, [noted.id])).length > 0) return false;
  await updateObjects(tx, [noted.id], { state: 'DELETING', due_at: dueAt });
  return true;
}

/** The bytes were deleted. */
export async function noteOrphanGone(tx: Tx, engine: Engine, path: string, now: Time): Promise<void> {
  const noted = await lockNoted(tx, engine, path);
  if (noted?.state === 'DELETING') await updateObjects(tx, [noted.id], { state: 'GONE', due_at: now + lastLookMs });
}
