// Marking an object for deletion: only one that the newest census classified as unreferenced, only if unchanged, and no
// sooner than the end of the protection window.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Call } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { Server } from '../../platform/server.ts';
import { recordAudit } from '../audit/index.ts';
import { listReferencedOrDeleting } from '../stored-objects/index.ts';
import { type CandidateRow, findCandidate, findCompletedCensus } from './census-queries.ts';
import { readDigest } from './classify-objects.ts';
import { findOpenMark, insertMark, type MarkRow } from './mark-queries.ts';

export type Marking = Pick<Server, 'database' | 'clock' | 'config' | 'objects' | 'sweepMetrics'>;

type Input = { readonly storagePath: string; readonly cipherHash: string };

const dayMs = 24 * 3600_000;
const otherHash = 'the object of this path has another hash; nothing was marked';

export async function markObject(server: Marking, call: Call, input: Input): Promise<MarkRow> {
  const { database, config } = server;
  const { tenantId } = call.actor;
  if (!config.sweep.markEnabled)
    throw new ApiError('PERMISSION_UNAUTHORIZED', 'marking is disabled on this server; set sweep.mark.enabled to true');
  const sha256 = input.cipherHash.slice('sha256:'.length);
  const openMark = await findOpenMark(database.db, tenantId, input.storagePath);
  if (openMark !== null) return assertSameMark(openMark, sha256);
  const candidate = await getCandidate(server, call, input.storagePath);
  if (candidate.sha256 !== sha256) throw new ApiError('DATA_IS_WRONG', otherHash);
  await assertLeft(server, candidate);
  return insert(server, call, candidate);
}

function assertSameMark(mark: MarkRow, sha256: string): MarkRow {
  if (mark.sha256 !== sha256) throw new ApiError('DATA_IS_WRONG', otherHash);
  return mark;
}

async function getCandidate({ database }: Marking, call: Call, path: string): Promise<CandidateRow> {
  const census = await findCompletedCensus(database.db, call.actor.tenantId);
  if (census === null) throw new ApiError('RUN_STATE_CONFLICT', 'no census is completed yet; start one first');
  if (census.unknown_holds > 0)
    throw new ApiError(
      'RUN_STATE_CONFLICT',
      `the census has ${census.unknown_holds} files whose referenced objects are unknown; to list and resolve them: recordproof admin sweep unknown-holds`,
    );
  const candidate = await findCandidate(database.db, census.id, path);
  if (candidate === null)
    throw new ApiError('RESULT_DATA_NONE', `${path} is not a candidate of the newest census ${census.id}`);
  return candidate;
}

/** The census may be outdated. */
async function assertLeft({ database, objects }: Marking, { path, size, sha256 }: CandidateRow): Promise<void> {
  const isKept = (await listReferencedOrDeleting(database.db, [path])).has(path);
  const identified = isKept ? null : await readDigest(objects, path);
  if (identified === null || identified === 'unreadable' || identified.size !== size || identified.sha256 !== sha256)
    throw new ApiError('RUN_STATE_CONFLICT', 'the object has changed since the census; start a new census');
}

async function insert(server: Marking, call: Call, { census_id, path, sha256, size }: CandidateRow): Promise<MarkRow> {
  const { database, clock, config, sweepMetrics } = server;
  const { tenantId } = call.actor;
  const now = clock.now();
  const until = now + config.sweep.protectionDays * dayMs;
  const made = await database.db.transaction().execute(async tx => {
    const object = { census_id, path, sha256, size };
    const mark = await insertMark(tx, { ...object, tenant_id: tenantId, created_at: now, protected_until: until });
    if (mark === null) return null;
    await recordAudit(tx, call, now, 'sweep.mark-object', `unreferenced object marked for deletion`, {
      markId: mark.id,
      storagePath: path,
      size,
      protectedUntil: toIso(until),
    });
    return mark;
  });
  if (made !== null) sweepMetrics.markMoved('MARKED', size);
  const mark = made ?? (await findOpenMark(database.db, tenantId, path));
  if (mark === null) throw new ApiError('SYSTEM_BUSY', 'the mark of this object has just ended; start a new census');
  return mark;
}
