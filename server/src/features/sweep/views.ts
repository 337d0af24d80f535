// Wire format of census and sweep.
import type {
  Census,
  InstallationSweep,
  SweepCandidate,
  SweepMark,
  SweepStatus,
} from '@recordproof/shared/api/sweep.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants } from '../accounts/index.ts';
import { type CandidateRow, type CensusRow, findNewestCensus } from './census-queries.ts';
import { countMarks, type MarkRow } from './mark-queries.ts';

export const toCensusView = (census: CensusRow): Census => ({
  censusId: toWireId(census.id),
  state: census.state,
  phase: census.phase,
  censusDigest: census.state === 'COMPLETED' ? `sha256:${census.digest}` : null,
  knownReferenceCount: census.known_references,
  unknownHoldCount: census.unknown_holds,
  objectCount: census.objects,
  unreferencedCount: census.unreferenced,
  unreferencedBytes: census.unreferenced_bytes,
  foreignCount: census.foreign_objects,
  startedAt: toIso(census.created_at),
  completedAt: toIsoOrNull(census.completed_at),
});

export const toCandidateView = ({ id, path, size, sha256, modified_at }: CandidateRow): SweepCandidate => ({
  candidateId: toWireId(id),
  storagePath: path,
  size,
  cipherHash: `sha256:${sha256}`,
  modifiedAt: toIso(modified_at),
});

export const toMarkView = (mark: MarkRow): SweepMark => ({
  markId: toWireId(mark.id),
  state: mark.state,
  reason: mark.reason,
  storagePath: mark.path,
  cipherHash: `sha256:${mark.sha256}`,
  size: mark.size,
  attempts: mark.attempts,
  markedAt: toIso(mark.created_at),
  protectedUntil: toIso(mark.protected_until),
  endedAt: toIsoOrNull(mark.ended_at),
});

const countsOf = (counts: Awaited<ReturnType<typeof countMarks>>): SweepStatus['marks'] => ({
  marked: counts.get('MARKED') ?? 0,
  deleted: counts.get('DELETED') ?? 0,
  retained: counts.get('RETAINED') ?? 0,
  failed: counts.get('FAILED') ?? 0,
});

/** Counts only: installation administrators see no file names. */
export async function readInstallation({ database: { db } }: Pick<Server, 'database'>): Promise<InstallationSweep> {
  const tenants = [];
  for (const { id, name } of await listTenants(db)) {
    const census = await findNewestCensus(db, id);
    const marks = countsOf(await countMarks(db, id));
    tenants.push({ tenantId: toWireId(id), tenant: name, census: census && toCensusView(census), marks });
  }
  return { tenants };
}

export async function readStatus(
  { database, config }: Pick<Server, 'database' | 'config'>,
  tenantId: Key,
): Promise<SweepStatus> {
  const { markEnabled, deleteEnabled, protectionDays } = config.sweep;
  const census = await findNewestCensus(database.db, tenantId);
  const counts = await countMarks(database.db, tenantId);
  return {
    markEnabled,
    deleteEnabled,
    protectionDays,
    census: census === null ? null : toCensusView(census),
    marks: countsOf(counts),
  };
}
