// Wire format of census and sweep.
import { fileStatus } from '@recordproof/shared/api/files.ts';
import type {
  Census,
  InstallationSweep,
  SweepCandidate,
  SweepMark,
  SweepStatus,
  UnknownHold,
} from '@recordproof/shared/api/sweep.ts';
import { toIso, toIsoOrNull } from '../../platform/clock.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { listTenants, listUsernames } from '../accounts/index.ts';
import { type FileRow, listFilesById } from '../files/index.ts';
import { type CandidateRow, type CensusRow, findNewestCensus, type UnknownHoldRow } from './census-queries.ts';
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

const orDelete = 'or delete it (recordproof admin files delete FILE), which frees the sweep when its retention ends';

/** Deleted files keep their objects until they are purged, and block until then. */
function toHint(file: FileRow | undefined): string {
  if (file === undefined) return 'the file no longer exists: take another census';
  if (file.status === fileStatus.DELETE)
    return 'wait until the retention of the deleted file has ended, then take another census';
  if (file.manifest_hash === null) return `run a backfill (recordproof admin backfill scan); ${orDelete}`;
  return `restore its manifest from a backup of the database; ${orDelete}`;
}

/** Files with unknown references in a census: which they are, and how to resolve each. */
export async function toUnknownHolds(db: Db, tenantId: Key, rows: readonly UnknownHoldRow[]): Promise<UnknownHold[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(row => row.file_id);
  const files = new Map((await listFilesById(db, tenantId, ids)).map(file => [file.id, file]));
  const owners = await listUsernames(db, tenantId, [...new Set([...files.values()].map(file => file.owner_id))]);
  return rows.map(({ file_id, reason }) => {
    const file = files.get(file_id);
    return {
      fileId: toWireId(file_id),
      fileHash: file?.file_hash ?? '',
      fileName: file?.file_name ?? '',
      ownerName: owners.get(file?.owner_id ?? 0) ?? '',
      reason,
      hint: toHint(file),
    };
  });
}

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
    census: census && toCensusView(census),
    marks: countsOf(counts),
  };
}
