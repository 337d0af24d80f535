// Processing of one mark: the object is compared once more, marked as deleted by a committed row, and only then
// deleted. After a crash in between, the next server continues from the rows.
import type { MarkReason } from '@recordproof/shared/api/sweep.ts';
import { localCall } from '../../platform/call.ts';
import { assertClaim, LeaseLost } from '../../platform/db/claim.ts';
import type { Time, Tx } from '../../platform/db/tables.ts';
import { exponentialBackoff } from '../../platform/jobs/jobs.ts';
import type { Server } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { recordAudit } from '../audit/index.ts';
import { isBeingDeleted, markOrphanDeleted, markOrphanForDeletion } from '../stored-objects/index.ts';
import { type CensusRow, findCandidate, isSuperseded } from './census-queries.ts';
import { readDigest } from './classify-objects.ts';
import { endMark, type MarkChange, type MarkRow } from './mark-queries.ts';

export type Sweeping = Pick<Server, 'database' | 'clock' | 'log' | 'objects' | 'hooks' | 'sweepMetrics'>;

const maxAttempts = 3;
const backoffSeconds = exponentialBackoff(30, 300);

type Ending = { readonly state: 'DELETED' | 'RETAINED' | 'FAILED'; readonly reason: MarkReason };

const retained = (reason: MarkReason): Ending => ({ state: 'RETAINED', reason });

type Claimed = {
  readonly mark: MarkRow;
  readonly until: Time;
  /** Aborted when the claim is lost. */
  readonly lost: AbortSignal;
};

/** Never throws: failures are retried later. */
export async function sweepMark(server: Sweeping, census: CensusRow, claimed: Claimed): Promise<void> {
  const { mark } = claimed;
  try {
    const ending = await decide(server, census, claimed);
    if (ending !== null) await end(server, mark, ending);
  } catch (error) {
    server.log.warn({ markId: mark.id, error: toErrorText(error) }, 'failed to sweep an object');
    if (error instanceof LeaseLost) return;
    await postpone(server, mark).catch(lost =>
      server.log.warn(
        { markId: mark.id, error: toErrorText(lost) },
        'failed to postpone a sweep; it is retried when its lease expires',
      ),
    );
  }
}

/**
 * Returns null if the census has been superseded meanwhile: the mark waits for the end of its lease, and is decided by
 * the later one.
 */
async function decide(server: Sweeping, census: CensusRow, { mark, until, lost }: Claimed): Promise<Ending | null> {
  lost.throwIfAborted();
  const { database, objects } = server;
  const { tenant_id: tenantId, path, sha256, size } = mark;
  const isLeft =
    (await findCandidate(database.db, census.id, path)) !== null || (await isBeingDeleted(database.db, tenantId, path));
  const identified = await readDigest(objects, path);
  if (identified === null) return { state: 'DELETED', reason: 'ALREADY_GONE' };
  if (!isLeft) return (await isSuperseded(database.db, census)) ? null : retained('REFERENCED');
  if (identified === 'unreadable' || identified.size !== size || identified.sha256 !== sha256)
    return retained('OBJECT_CHANGED');
  const isFree = await database.db.transaction().execute(async tx => {
    await assertClaim(tx, database.kind, 'sweep_mark', mark);
    return markOrphanForDeletion(server, tx, { tenantId, path, sha256, size }, until);
  });
  if (!isFree) return retained('REFERENCED');
  await objects.delete(path);
  return { state: 'DELETED', reason: 'UNREFERENCED' };
}

async function end({ database, clock, sweepMetrics }: Sweeping, mark: MarkRow, ending: Ending): Promise<void> {
  const now = clock.now();
  await database.db.transaction().execute(async tx => {
    await assertClaim(tx, database.kind, 'sweep_mark', mark);
    if (ending.state === 'DELETED') await markOrphanDeleted(tx, database.kind, mark.path, now);
    await endMarkAudited(tx, mark, { ...ending, due_at: null, ended_at: now }, now);
  });
  sweepMetrics.markMoved(ending.state, mark.size);
}

async function postpone({ database, clock, sweepMetrics }: Sweeping, mark: MarkRow): Promise<void> {
  const now = clock.now();
  const attempts = mark.attempts + 1;
  const isLast = attempts >= maxAttempts;
  await database.db.transaction().execute(async tx => {
    const reason = 'STORE_FAILED';
    if (isLast) await endMarkAudited(tx, mark, { state: 'FAILED', reason, attempts, due_at: null, ended_at: now }, now);
    else await endMark(tx, mark, { reason, attempts, due_at: now + backoffSeconds(attempts) * 1000 });
  });
  if (isLast) sweepMetrics.markMoved('FAILED', mark.size);
}

async function endMarkAudited(tx: Tx, mark: MarkRow, change: MarkChange & Ending, now: Time): Promise<void> {
  await endMark(tx, mark, change);
  await recordAudit(
    tx,
    localCall('sweep', mark.tenant_id, now),
    now,
    'sweep.end-mark',
    `marked object: ${change.state}, ${change.reason}`,
    { markId: mark.id, storagePath: mark.path, size: mark.size, state: change.state, reason: change.reason },
  );
}
