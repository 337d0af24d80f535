// Import of records of an older system, line by line: each is registered as a file, and its claims are stored for a
// scan. Can be interrupted and repeated: existing records are skipped, so nothing is imported twice.
import { createHash } from 'node:crypto';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import { localCall } from '../../platform/call.ts';
import { lockInTransaction } from '../../platform/db/lock.ts';
import type { Key, Time, Tx } from '../../platform/db/tables.ts';
import { type Line, readLines } from '../../platform/read-lines.ts';
import type { Server } from '../../platform/server.ts';
import { findAccountByName } from '../accounts/index.ts';
import { appendAudit } from '../audit/index.ts';
import { prepareFiles } from '../files/index.ts';
import { storeOlder } from '../stored/index.ts';
import { LegacyLineError, type LegacyRecord, maxLineBytes, parseLegacyRecord } from './legacy-record.ts';
import { insertSources, listTakenHashes } from './source-queries.ts';

export type ImportSummary = {
  readonly lines: number;
  readonly imported: number;
  /** Imported by an earlier run. */
  readonly known: number;
  readonly refused: number;
};

type Importing = Pick<Server, 'database' | 'clock' | 'config' | 'log'>;

type Import = {
  readonly tenantId: Key;
  readonly source: AsyncIterable<Uint8Array>;
  /** Called for every rejected line. */
  readonly reject: (line: number, sentence: string) => void;
};

type ImportLine = { readonly line: number; readonly lineDigest: string; readonly record: LegacyRecord };
type Owned = ImportLine & { readonly ownerId: Key };

const linesAtOnce = 100;
const bytesAtOnce = 2 * maxLineBytes;
const what = 'import-legacy';

/** The transaction of a hundred lines throws QUOTA_EXCEEDED if they do not fit; earlier ones are kept. */
export async function importLegacy(server: Importing, { tenantId, source, reject }: Import): Promise<ImportSummary> {
  const sum = { lines: 0, imported: 0, known: 0, refused: 0 };
  const rejectLine = (line: number, sentence: string) => {
    sum.refused += 1;
    reject(line, sentence);
  };
  for await (const lines of inBatches(readLines(source, maxLineBytes))) {
    const importLines = lines.flatMap(line => parseLine(line, tenantId, rejectLine));
    const taken = await takeBatch(server, { tenantId, importLines });
    for (const { line, why } of taken.refused) rejectLine(line, why);
    sum.lines += lines.length;
    sum.imported += taken.imported;
    sum.known += taken.known;
  }
  await noteEnd(server, tenantId, sum);
  return sum;
}

async function* inBatches(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  let bytes = 0;
  for await (const line of lines) {
    if (line.bytes?.every(isBlank)) continue;
    batch.push(line);
    bytes += line.bytes?.length ?? 0;
    if (batch.length < linesAtOnce && bytes < bytesAtOnce) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

function parseLine({ number, bytes }: Line, tenantId: Key, reject: Import['reject']): ImportLine[] {
  try {
    if (bytes === null) throw new LegacyLineError(`is longer than ${maxLineBytes} bytes`);
    const lineDigest = toDigest(createHash('sha256').update(bytes).digest());
    return [{ line: number, lineDigest, record: parseLegacyRecord(bytes, tenantId) }];
  } catch (error) {
    if (!(error instanceof LegacyLineError)) throw error;
    reject(number, error.message);
    return [];
  }
}

type Rejection = { readonly line: number; readonly why: string };
type Taken = { readonly imported: number; readonly known: number; readonly refused: readonly Rejection[] };
type Batch = { readonly tenantId: Key; readonly importLines: readonly ImportLine[] };

/** One import at a time, so that look-ups stay valid until the commit. */
const takeBatch = (server: Importing, { tenantId, importLines }: Batch): Promise<Taken> =>
  server.database.db
    .transaction()
    .execute(async tx => {
      await lockInTransaction(tx, server.database.kind, what);
      const { owned, ownerless } = await findOwners(tx, tenantId, importLines);
      const { fresh, known, taken } = await sortOut(tx, tenantId, owned);
      if (fresh.length > 0) await store(server, tx, tenantId, fresh);
      const rejected = [...ownerless, ...taken].toSorted((a, b) => a.line - b.line);
      return { imported: fresh.length, known, refused: rejected };
    })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.kind !== 'QUOTA_EXCEEDED') throw error;
      const [first, last] = [importLines.at(0)?.line, importLines.at(-1)?.line];
      throw new ApiError(error.kind, `lines ${first} to ${last} do not fit into the quota: ${error.message}`);
    });

/** A record id that exists with another line belongs to that line. */
async function sortOut(tx: Tx, tenantId: Key, owned: readonly Owned[]) {
  const hashes = [...new Set(owned.map(({ record }) => record.fileHash))];
  const rows = hashes.length === 0 ? [] : await listTakenHashes(tx, hashes);
  const digests = new Map(rows.map(row => [row.file_hash, row.tenant_id === tenantId ? row.line_digest : null]));
  const fresh: Owned[] = [];
  const taken: Rejection[] = [];
  let known = 0;
  for (const one of owned) {
    const { fileHash } = one.record;
    const there = digests.get(fileHash);
    if (there === one.lineDigest) known += 1;
    else if (there !== undefined) taken.push({ line: one.line, why: `there is another record ${fileHash} already` });
    else {
      digests.set(fileHash, one.lineDigest);
      fresh.push(one);
    }
  }
  return { fresh, known, taken };
}

async function findOwners(tx: Tx, tenantId: Key, importLines: readonly ImportLine[]) {
  const ids = new Map<string, Key | null>();
  for (const name of new Set(importLines.map(({ record }) => record.owner)))
    ids.set(name, (await findAccountByName(tx, tenantId, name))?.id ?? null);
  const owned: Owned[] = [];
  const ownerless: Rejection[] = [];
  for (const one of importLines) {
    const ownerId = ids.get(one.record.owner) ?? null;
    if (ownerId === null) ownerless.push({ line: one.line, why: `there is no account "${one.record.owner}"` });
    else owned.push({ ...one, ownerId });
  }
  return { owned, ownerless };
}

const originOf = ({ record }: ImportLine): string => `legacy:${record.fileHash}`;

async function store(server: Importing, tx: Tx, tenantId: Key, owned: readonly Owned[]): Promise<void> {
  const now = server.clock.now();
  const newFiles = owned.map(one => toNewFile(one, tenantId));
  const files = new Map((await prepareFiles(tx, newFiles, now)).map(file => [file.created_by, file]));
  const call = localCall(what, tenantId, now);
  const records = owned.map(one => {
    const file = files.get(originOf(one));
    if (file === undefined) throw new Error(`line ${one.line} was not recorded`);
    const description = `file ${file.file_name} taken in from an older system`;
    const param = { line: one.line, digest: one.lineDigest };
    return { one, file, call, audit: { module: 'backfill', operation: what, description, param } };
  });
  const sources = records.map(({ one, file }) => toSource(one, tenantId, file.id));
  await insertSources(tx, sources, now);
  await storeOlder(server, tx, records);
}

const toNewFile = (one: Owned, tenantId: Key) => {
  const { fileHash, contentHash, fileName, path = null, fileSize, contentType } = one.record;
  const own = { fileHash, contentHash, fileName, path, fileSize, contentType };
  return { ...own, tenantId, ownerId: one.ownerId, encryption: plainSuite, fileNonce: null, createdBy: originOf(one) };
};

const toSource = ({ record, lineDigest }: Owned, tenant_id: Key, file_id: Key) => ({
  tenant_id,
  file_id,
  chunk_size: record.chunkSize,
  encryption: record.encryption,
  line_digest: lineDigest,
  chunks: record.chunks.map(({ index, storagePath: path, size, plainHash = null }) => ({
    chunk_index: index,
    path,
    size,
    plain_hash: plainHash,
  })),
});

async function noteEnd({ database, clock }: Importing, tenantId: Key, sum: ImportSummary): Promise<void> {
  const now: Time = clock.now();
  const entry = { module: 'backfill', operation: `${what}-ended`, description: 'an import ended', param: { ...sum } };
  await database.db.transaction().execute(tx => appendAudit(tx, localCall(what, tenantId, now), entry, now));
}
