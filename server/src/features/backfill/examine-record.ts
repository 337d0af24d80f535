// Classification of a record of an older system, with a reason, only from the database, the object store and the chain. The evidence digest is
// deterministic: the same on every server and database while nothing changes.
import { type BackfillReason, classOf } from '@recordproof/shared/api/backfill-reasons.ts';
import { canonicalBytes } from '@recordproof/shared/evidence/canonical-json.ts';
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type FileRow, listFilesById } from '../files/index.ts';
import { type BuiltManifest, buildManifest, listActiveManifestHashes } from '../manifests/index.ts';
import { findLivePaths, type HeldObject, isNotedOtherwise } from '../stored-objects/index.ts';
import { findLayoutReason, findRecordReason, type Subject } from './policy.ts';
import { type InspectedObject, inspectObjects } from './read-objects.ts';
import { type ChunkRow, listChunks, listSources, type SourceRow } from './source-queries.ts';

type ExamineContext = Pick<Server, 'database' | 'objects' | 'records'>;

/** For a record that can be backfilled: its objects in order, as they were read. */
export type Proven = { readonly source: SourceRow; readonly objects: readonly HeldObject[] };

export type RecordFindings = {
  readonly reason: BackfillReason;
  readonly evidenceDigest: string;
  /** Null if it cannot be backfilled. */
  readonly proven: Proven | null;
};

/** By file; deleted files are left out. */
export async function readSubjects(db: Db, tenantId: Key, fileIds: readonly Key[]): Promise<ReadonlyMap<Key, Subject>> {
  const [files, manifests, sources] = await Promise.all([
    listFilesById(db, tenantId, fileIds),
    listActiveManifestHashes(db, tenantId, fileIds),
    listSources(db, tenantId, fileIds),
  ]);
  const bySource = new Map(sources.map(source => [source.file_id, source]));
  return new Map(
    files.map(file => [
      file.id,
      { file, manifestHash: manifests.get(file.id) ?? null, source: bySource.get(file.id) ?? null },
    ]),
  );
}

export async function examineRecord(
  server: ExamineContext,
  subject: Subject,
  signal: AbortSignal,
): Promise<RecordFindings> {
  const { file, source } = subject;
  const recordReason = findRecordReason(subject);
  if (recordReason !== null || source === null) return toVerdict(subject, [], [], recordReason ?? 'LAYOUT_MISSING');
  const { db } = server.database;
  const listed = (await listChunks(db, file.tenant_id, file.id)).toSorted((a, b) => a.chunk_index - b.chunk_index);
  const flaw = findLayoutReason(file, source, listed);
  if (flaw !== null) return toVerdict(subject, listed, [], flaw);
  const { found, reason } = await inspectObjects(server.objects, file, listed, signal);
  if (reason !== null) return toVerdict(subject, listed, found, reason);
  const objects = listed.map(({ path, size }, index) => ({ path, size, sha256: found[index]?.sha256 ?? '' }));
  const proven = { source, objects };
  const conflict = await findConflict(server, file, proven);
  return { ...toVerdict(subject, listed, found, conflict ?? 'CONTENT_PROVEN'), proven: conflict ? null : proven };
}

/** Valid evidence that conflicts with existing records. */
async function findConflict(server: ExamineContext, file: FileRow, proven: Proven): Promise<BackfillReason | null> {
  const { database, records, objects } = server;
  if (await isNotedOtherwise(database.db, file.tenant_id, proven.objects)) return 'OBJECT_NOTED_OTHERWISE';
  const record = await records.findRecord(file.file_hash);
  if (record === null) return null;
  const digests = proven.objects.map(({ sha256 }) => sha256);
  const live = await findLivePaths(database.db, file.tenant_id, digests);
  const planned = proven.objects.map(object => ({ ...object, path: live.get(object.sha256) ?? object.path }));
  const { manifestHash } = planManifest(file, proven.source, planned, objects.backend);
  return record.manifestHash === manifestHash ? null : 'CHAIN_CONFLICT';
}

export const planManifest = (
  file: FileRow,
  source: SourceRow,
  objects: readonly HeldObject[],
  storageBackend: string,
): BuiltManifest =>
  buildManifest({
    fileHash: file.file_hash,
    chunkSize: source.chunk_size,
    totalSize: file.file_size,
    storageBackend,
    encryptionAlgorithm: 'NONE',
    chunks: objects.map(({ sha256, path: storagePath }, index) => {
      const digest = `sha256:${sha256}`;
      return { index, plainHash: digest, cipherHash: digest, storagePath };
    }),
  });

/** Ids and times are not part of the evidence: databases choose them. */
function toVerdict(
  { file, manifestHash, source }: Subject,
  listed: readonly ChunkRow[],
  found: readonly InspectedObject[],
  reason: BackfillReason,
): RecordFindings {
  const evidence = {
    schema: 'recordproof.backfill-evidence.v1',
    fileHash: file.file_hash,
    contentHash: file.content_hash,
    fileSize: file.file_size,
    status: file.status,
    recordedManifest: file.manifest_hash,
    activeManifest: manifestHash,
    source: source === null ? null : { chunkSize: source.chunk_size, encryption: source.encryption },
    listed: listed.map(({ chunk_index, path, size, plain_hash }) => [chunk_index, path, size, plain_hash]),
    found: found.map(({ size, sha256 }) => [size, sha256 ?? null]),
    classification: classOf(reason),
    reason,
  };
  return { reason, evidenceDigest: digestOf(canonicalBytes(evidence)), proven: null };
}
