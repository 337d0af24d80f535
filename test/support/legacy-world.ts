// Records of an older system: their objects in the store of a server, the lines that describe them, and the expected
// result of a scan of each. There is every kind of damage, one in each record.
import { createHash } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImportSummary, importLegacy } from '@recordproof/server/features/backfill/index.ts';
import { toObjectPath } from '@recordproof/server/platform/objects/disk-layout.ts';
import { silentLog } from '@recordproof/server/platform/telemetry/log.ts';
import * as api from '@recordproof/shared/api/backfill.ts';
import type { BackfillReason } from '@recordproof/shared/api/backfill-reasons.ts';
import type { Person, TestApp } from './app.ts';

const hashOf = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
const digestOf = (data: string | Uint8Array): string => `sha256:${hashOf(data)}`;

const chunkSize = 40;

type Chunk = { index: number; storagePath: string; size: number; plainHash?: string };
type Line = {
  fileHash: string;
  contentHash: string;
  fileName: string;
  fileSize: number;
  owner: string;
  chunkSize: number;
  encryption?: string;
  chunks: Chunk[];
};

export type LegacyRecord = {
  readonly line: Line;
  readonly content: Buffer;
  readonly reason: BackfillReason;
};

type Kind = {
  /** The older system's description. */
  readonly line?: (line: Line) => void;
  /** Changes since then, before the import or after. */
  readonly before?: (app: TestApp, line: Line) => Promise<unknown>;
  readonly after?: (app: TestApp, line: Line) => Promise<unknown>;
};

const objectsOf = ({ app }: TestApp) => app.server.objects;
const chunkOf = ({ chunks }: Line, index: number): Chunk => {
  const chunk = chunks[index];
  if (chunk === undefined) throw new Error(`there is no chunk ${index}`);
  return chunk;
};
const put = (app: TestApp, path: string, bytes: Uint8Array) => objectsOf(app).put(path, [bytes]);

export const diskPath = (app: TestApp, path: string): string => {
  const { folders, file } = toObjectPath(path);
  return join(app.folder, 'objects', 'objects', ...folders, file);
};

const changeFile = ({ app }: TestApp, { fileHash }: Line, change: Record<string, string | number>) =>
  app.database.db.updateTable('file').set(change).where('file_hash', '=', fileHash).execute();

/** A record of something else in place of an object. */
async function noteOther({ app }: TestApp, line: Line): Promise<void> {
  const { storagePath: path, size } = chunkOf(line, 1);
  const { id } = await app.database.db.selectFrom('tenant').select('id').executeTakeFirstOrThrow();
  const other = { tenant_id: id, sha256: hashOf(`other than ${path}`), size, path, state: 'LIVE', due_at: null };
  await app.database.db.insertInto('stored_object').values(other).execute();
}

export const kinds: { readonly [reason in BackfillReason]?: Kind } = {
  CONTENT_PROVEN: {},
  LAYOUT_MISSING: { line: line => void line.chunks.splice(0) },
  ENCRYPTION_UNKNOWN: { line: line => void Object.assign(line, { encryption: 'AES-CBC' }) },
  CHUNK_DUPLICATE: { line: line => void Object.assign(chunkOf(line, 2), { index: 1 }) },
  CHUNK_GAP: { line: line => void Object.assign(chunkOf(line, 2), { index: 3 }) },
  SIZE_MISMATCH: { line: line => void Object.assign(line, { fileSize: line.fileSize + 1 }) },
  CHUNK_SIZE_UNEVEN: { line: line => void Object.assign(line, { chunkSize: chunkSize * 2 }) },
  OBJECT_NOTED_OTHERWISE: { before: noteOther },
  OBJECT_MISSING: { before: (app, line) => objectsOf(app).delete(chunkOf(line, 1).storagePath) },
  OBJECTS_GONE: {
    before: (app, line) => Promise.all(line.chunks.map(chunk => objectsOf(app).delete(chunk.storagePath))),
  },
  OBJECT_UNREADABLE: {
    before: (app, line) => truncate(diskPath(app, chunkOf(line, 1).storagePath), 10),
  },
  OBJECT_SIZE_MISMATCH: { before: (app, line) => put(app, chunkOf(line, 1).storagePath, Buffer.alloc(chunkSize + 1)) },
  CHUNK_HASH_MISMATCH: { before: (app, line) => put(app, chunkOf(line, 1).storagePath, Buffer.alloc(chunkSize)) },
  CONTENT_HASH_MISMATCH: {
    line: line => {
      const [first, second] = [chunkOf(line, 0), chunkOf(line, 1)];
      [first.storagePath, second.storagePath] = [second.storagePath, first.storagePath];
      for (const chunk of line.chunks) delete chunk.plainHash;
    },
  },
  MANIFEST_ROW_LOST: { after: (app, line) => changeFile(app, line, { manifest_hash: digestOf('lost') }) },
  CHAIN_CONFLICT: {
    after: ({ app }, { fileHash }) => app.server.records.recordFile({ fileHash, manifestHash: digestOf(fileHash) }),
  },
  FILE_DELETED: { after: (app, line) => changeFile(app, line, { status: 2, is_latest: 0, deleted_at: 1 }) },
  FILE_NOT_STORED: { after: (app, line) => changeFile(app, line, { status: -1 }) },
};

function describe(name: string, owner: string): { line: Line; content: Buffer } {
  const content = Buffer.from(`${hashOf(name)}${hashOf(`${name} again`)}`.slice(0, 2 * chunkSize + 15));
  const chunks = [0, 1, 2].map(index => {
    const bytes = content.subarray(index * chunkSize, (index + 1) * chunkSize);
    const storagePath = `old/${name}/${index}`;
    return { index, storagePath, size: bytes.length, plainHash: digestOf(bytes) };
  });
  const { length: fileSize } = content;
  const fileHash = hashOf(`record ${name}`);
  const line = {
    fileHash,
    contentHash: digestOf(content),
    fileName: `${name}.txt`,
    fileSize,
    owner,
    chunkSize,
    chunks,
  };
  return { line, content };
}

const objectsAtOnce = 16;

/**
 * That many records, every kind equally often; their objects are in the store, and the changes before the import are
 * done.
 */
export async function makeLegacy(app: TestApp, owner: string, count: number): Promise<LegacyRecord[]> {
  const entries = Object.entries(kinds) as [BackfillReason, Kind][];
  const make = async (number: number): Promise<LegacyRecord> => {
    const [reason, kind] = entries[number % entries.length] as [BackfillReason, Kind];
    const { line, content } = describe(`n${number}`, owner);
    for (const { index, storagePath } of line.chunks)
      await put(app, storagePath, content.subarray(index * chunkSize, (index + 1) * chunkSize));
    await kind.before?.(app, line);
    kind.line?.(line);
    return { line, content, reason };
  };
  const records: LegacyRecord[] = [];
  for (let from = 0; from < count; from += objectsAtOnce) {
    const numbers = Array.from({ length: Math.min(objectsAtOnce, count - from) }, (_, index) => from + index);
    records.push(...(await Promise.all(numbers.map(make))));
  }
  return records;
}

export const toLines = (records: readonly Pick<LegacyRecord, 'line'>[]): string =>
  records.map(({ line }) => `${JSON.stringify(line)}\n`).join('');

export type ReportedLine = { readonly line: number; readonly sentence: string };

export async function importText(
  { app, config, clock }: TestApp,
  text: string,
): Promise<ImportSummary & { told: ReportedLine[] }> {
  const { database } = app;
  const { id: tenantId } = await database.db.selectFrom('tenant').select('id').executeTakeFirstOrThrow();
  const told: ReportedLine[] = [];
  const source = (async function* () {
    yield Buffer.from(text);
  })();
  const reject = (line: number, sentence: string) => void told.push({ line, sentence });
  const summary = await importLegacy({ database, config, clock, log: silentLog }, { tenantId, source, reject });
  return { ...summary, told };
}

/** Imported, and the changes after the import are done. */
export async function importAll(app: TestApp, records: readonly LegacyRecord[]): Promise<void> {
  const { told } = await importText(app, toLines(records));
  if (told.length > 0) throw new Error(`lines were refused: ${JSON.stringify(told)}`);
  for (const { line, reason } of records) await kinds[reason]?.after?.(app, line);
}

type Input = { readonly mode: api.BackfillMode; readonly snapshotRunId?: string };

export const startBackfill = (root: Person, body: Input) => root.call(api.startBackfill, { body });
export const readBackfill = (root: Person, { runId }: Pick<api.BackfillRun, 'runId'>) =>
  root.call(api.getBackfill, { params: { runId } });

/** Runs to its end. */
export async function runBackfill(app: TestApp, root: Person, body: Input): Promise<api.BackfillRun> {
  const run = await startBackfill(root, body);
  await app.drain();
  return readBackfill(root, run);
}

type Filter = Pick<api.BackfillItem, 'status' | 'classification' | 'reason'>;

export async function listBackfillItems(
  root: Person,
  { runId }: Pick<api.BackfillRun, 'runId'>,
  filter: Partial<{ [name in keyof Filter]: NonNullable<Filter[name]> }> = {},
): Promise<api.BackfillItem[]> {
  const items: api.BackfillItem[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: Record<string, string> = { limit: '100', ...filter, ...(cursor !== '' && { cursor }) };
    const page = await root.call(api.listBackfillItems, { params: { runId }, query });
    items.push(...page.records);
    cursor = page.nextCursor;
  }
  return items;
}
