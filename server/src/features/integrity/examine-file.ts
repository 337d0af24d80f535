// Examining one stored file at one level. An unreachable store, chain or key provider is an outage and no damage:
// earlier findings are kept, and the rest of that part is unknown.
import { createHash } from 'node:crypto';
import type { CheckLevel } from '@recordproof/shared/api/integrity.ts';
import {
  type ChunkManifest,
  chunkManifestBytes,
  readManifestShape,
} from '@recordproof/shared/evidence/chunk-manifest.ts';
import { parseUtf8, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { toDigest } from '../../platform/content/digests.ts';
import type { FileKey } from '../../platform/crypto/content-suite.ts';
import { KeyProviderError, WrongDataKey } from '../../platform/crypto/envelope.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { Server } from '../../platform/server.ts';
import { LedgerDamaged } from '../chain/index.ts';
import { type Content, ContentDamaged, parseManifestOf, readContent } from '../downloads/index.ts';
import { type KeyRow, listOwnerEnvelopes } from '../envelopes/index.ts';
import { type FileRow, holderOf } from '../files/index.ts';
import { listActiveManifestJson } from '../manifests/index.ts';
import { type HeldBy, listHeldBy } from '../stored-objects/index.ts';
import {
  type ChunkProblem,
  examineBytes,
  examineHead,
  isSealed,
  type Kept,
  sampleChunks,
  toFindings,
} from './examine-chunks.ts';
import type { Finding } from './findings.ts';

export type Examines = Pick<Server, 'records'> & {
  /** `digest` and `get` read object bytes. */
  readonly objects: Pick<ObjectStore, 'findHead' | 'digest' | 'get'>;
  /** The key of a sealed file; throws KeyProviderError. Null if keys cannot be opened here. */
  openKey(file: FileRow, envelope: KeyRow): Promise<FileKey | null>;
  checkProof(file: FileRow): Promise<ProofCheck>;
  readonly config: { readonly integrity: Pick<Server['config']['integrity'], 'sampleChunks' | 'maxDownloadBytes'> };
};

/** `none` if the file has no proof; a problem says why the proof does not match the stored evidence. */
export type ProofCheck = 'none' | 'sound' | { readonly problem: string };

export type Subject = {
  readonly file: FileRow;
  /** Its active manifest as stored in the database. */
  readonly manifestJson: string | null;
  /** The envelope of its key for its owner. */
  readonly envelope: KeyRow | null;
  /** Its recorded objects, by path. */
  readonly kept: Kept;
};

/** In the order of the files; pass few, because a manifest may be large. */
export async function readSubjects(db: Db, tenantId: Key, files: readonly FileRow[]): Promise<Subject[]> {
  if (files.length === 0) return [];
  const manifests = await listActiveManifestJson(
    db,
    tenantId,
    files.map(({ id }) => id),
  );
  const envelopes = await listOwnerEnvelopes(db, tenantId, files);
  const held = Map.groupBy(await listHeldBy(db, tenantId, files.map(holderOf)), ({ holder }) => holder);
  return files.map(file => ({
    file,
    manifestJson: manifests.get(file.id) ?? null,
    envelope: envelopes.get(file.id) ?? null,
    kept: byPath(held.get(holderOf(file)) ?? []),
  }));
}

const byPath = (objects: readonly HeldBy[]) => new Map(objects.map(object => [object.path, object]));

type Examination = {
  readonly findings: readonly Finding[];
  /** The first reason why it could not be examined completely. */
  readonly outage?: unknown;
};

export async function examineFile(
  server: Examines,
  { file, manifestJson, envelope, kept }: Subject,
  level: CheckLevel,
  signal: AbortSignal,
): Promise<Examination> {
  if (manifestJson === null)
    return { findings: [{ alertType: 'MANIFEST_MISSING', evidence: { reason: 'the file has no active manifest' } }] };
  const read = level === 'LIGHTWEIGHT' ? readIdentity(file, manifestJson) : readWhole(file, manifestJson);
  if ('alertType' in read) return { findings: [read] };
  const problems: ChunkProblem[] = [];
  const others: Finding[] = [];
  const ask = async (part: () => Promise<unknown>): Promise<unknown> => {
    try {
      await part();
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return error;
    }
  };
  const ofObjects = await ask(() => examineObjects(server, { manifest: read, kept, level, signal }, problems));
  const readsContent = level === 'FULL' && problems.length === 0 && ofObjects === undefined;
  const evidence = examineEvidence(server, { file, envelope, manifest: read }, readsContent, signal);
  const ofEvidence = await ask(async () => {
    if (readsBytes(level)) for await (const finding of evidence) others.push(finding);
  });
  return { findings: [...toFindings(problems), ...others], outage: ofObjects ?? ofEvidence };
}

type Objects = {
  readonly manifest: ChunkManifest;
  readonly kept: Kept;
  readonly level: CheckLevel;
  readonly signal: AbortSignal;
};

async function examineObjects(
  server: Examines,
  { manifest, kept, level, signal }: Objects,
  problems: ChunkProblem[],
): Promise<void> {
  for (const chunk of manifest.chunks) {
    signal.throwIfAborted();
    const problem = await examineHead(server.objects, { kept, chunk, isDeclared: isSealed(manifest), signal });
    if (problem !== null) problems.push(problem);
  }
  if (!readsBytes(level)) return;
  // Chunks already known to be faulty are not read.
  const damaged = new Set(problems.map(({ chunk }) => chunk.index));
  for (const chunk of level === 'FULL' ? manifest.chunks : sampleChunks(manifest, server.config.integrity)) {
    signal.throwIfAborted();
    if (damaged.has(chunk.index)) continue;
    const problem = await examineBytes(server.objects, chunk, signal);
    if (problem !== null) problems.push(problem);
  }
}

type Evidence = Pick<Subject, 'file' | 'envelope'> & { readonly manifest: ChunkManifest };

/** The record, key and proof of a file, and its content hash where nothing else covers it. */
async function* examineEvidence(
  server: Examines,
  { file, envelope, manifest }: Evidence,
  readsContent: boolean,
  signal: AbortSignal,
): AsyncGenerator<Finding, void, void> {
  yield* await compareWithChain(server, file);
  const key = isSealed(manifest) ? await openKey(server, file, envelope) : null;
  if (key !== null && 'alertType' in key) yield key;
  const proof = await server.checkProof(file);
  if (typeof proof === 'object')
    yield invalid(`the proof does not match: ${proof.problem}`.slice(0, mostReasonCharacters));
  const dataKey = key !== null && 'dataKey' in key ? key.dataKey : null;
  const isReadable = dataKey !== null || !isSealed(manifest);
  // The hash of the only chunk was compared with the record; a proof has the content hash as it was when it was issued.
  const isCovered = manifest.chunks.length === 1 || proof !== 'none';
  if (readsContent && isReadable && !isCovered)
    yield* await examineContent(server, { file, manifest, dataKey }, signal);
}

/** A file whose key cannot be opened is lost, however sound its bytes are. */
async function openKey(server: Examines, file: FileRow, envelope: KeyRow | null): Promise<FileKey | Finding | null> {
  if (envelope === null) return invalid('no envelope has the key of this file for its owner');
  return server.openKey(file, envelope).catch(toKeyFinding);
}

function toKeyFinding(error: unknown): Finding {
  if (!isDamagedKey(error)) throw error;
  return invalid(`the key of this file cannot be opened: ${toReason(error)}`);
}

/** Others say that the provider does not answer as it should, or is not configured. */
const isDamagedKey = (error: unknown): error is KeyProviderError =>
  error instanceof WrongDataKey || (error instanceof KeyProviderError && error.category === 'INVALID_CIPHERTEXT');

/** Reads the content once more, in order. */
async function examineContent({ objects }: Examines, content: Content, signal: AbortSignal): Promise<Finding[]> {
  const { file, manifest } = content;
  const hash = createHash('sha256');
  try {
    for await (const block of readContent(objects, content, { start: 0, end: manifest.totalSize }, signal))
      hash.update(block);
  } catch (error) {
    if (error instanceof ContentDamaged)
      return [{ alertType: error.kind, evidence: { reason: toReason(error), chunk: error.chunk, path: error.path } }];
    return [toKeyFinding(error)];
  }
  const actual = toDigest(hash.digest('hex'));
  if (actual === file.content_hash) return [];
  return [invalid('the content hash in the file record is not that of the content', actual)];
}

const readsBytes = (level: CheckLevel): boolean => level === 'HEAVY' || level === 'FULL';

const invalid = (reason: string, actualHash?: string): Finding => ({
  alertType: 'MANIFEST_INVALID',
  evidence: { reason },
  ...(actualHash !== undefined && { actualHash }),
});

/** Checks that it is a manifest with safe paths and belongs to this file; its consistency is not checked. */
function readIdentity(file: FileRow, json: string): ChunkManifest | Finding {
  let manifest: ChunkManifest;
  try {
    manifest = readManifestShape(toUtf8(json));
  } catch (error) {
    return invalid(toReason(error));
  }
  const isOwn =
    manifest.fileHash === file.file_hash &&
    manifest.manifestHash === file.manifest_hash &&
    manifest.encryptionAlgorithm === file.encryption;
  return isOwn ? manifest : invalid('the manifest does not match its file record', manifest.manifestHash);
}

/** Also checks order, number and lengths of the chunks, and the hash over the exact stored bytes. */
function readWhole(file: FileRow, json: string): ChunkManifest | Finding {
  try {
    const manifest = parseManifestOf(file, json);
    const [only] = manifest.chunks.length === 1 ? manifest.chunks : [];
    if (only !== undefined && only.plainHash !== file.content_hash)
      return invalid('the content hash in the file record is not that of the only chunk', only.plainHash);
    const isCanonical = parseUtf8(chunkManifestBytes(manifest)) === json;
    return isCanonical ? manifest : invalid('the manifest is not written in its canonical form');
  } catch (error) {
    if (error instanceof ContentDamaged) return invalid(toReason(error.cause ?? error));
    throw error;
  }
}

const mostReasonCharacters = 200;
const toReason = (error: unknown): string =>
  (error instanceof Error ? error.message : 'the manifest cannot be read').slice(0, mostReasonCharacters);

async function compareWithChain({ records }: Examines, file: FileRow): Promise<Finding[]> {
  const actualHash = file.manifest_hash ?? undefined;
  const about = { recordId: file.file_hash, transactionHash: file.transaction_hash };
  const finding = (alertType: 'CHAIN_MISMATCH' | 'CHAIN_NOT_FOUND', reason: string, chainHash?: string): Finding[] => [
    {
      alertType,
      evidence: { ...about, reason },
      ...(actualHash !== undefined && { actualHash }),
      ...(chainHash !== undefined && { chainHash }),
    },
  ];
  const found = await records.findRecord(file.file_hash).catch((error: unknown) => {
    if (error instanceof LedgerDamaged) return error;
    throw error;
  });
  if (found === null) return finding('CHAIN_NOT_FOUND', 'the chain has no record of this file');
  if (found instanceof LedgerDamaged) return finding('CHAIN_MISMATCH', found.message);
  if (found.manifestHash !== file.manifest_hash)
    return finding('CHAIN_MISMATCH', 'the chain holds another manifest hash', found.manifestHash);
  if (found.transactionHash !== file.transaction_hash)
    return finding('CHAIN_MISMATCH', `the chain holds the record as ${found.transactionHash}`, found.manifestHash);
  return [];
}
