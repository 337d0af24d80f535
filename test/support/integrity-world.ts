// Stored files that can be damaged behind the server's back, and the findings of checks.
import { randomBytes } from 'node:crypto';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EntryRow } from '@recordproof/server/features/chain/ledger/packed-entry.ts';
import { listEntriesAbout } from '@recordproof/server/features/chain/ledger/queries.ts';
import { toObjectPath } from '@recordproof/server/platform/objects/disk-layout.ts';
import * as api from '@recordproof/shared/api/integrity.ts';
import type { ChunkManifest } from '@recordproof/shared/evidence/chunk-manifest.ts';
import type { Person, TestApp } from './app.ts';
import { writeEntry } from './ledger-entries.ts';
import { readStoredManifest, writeManifestText } from './manifest-text.ts';

export type Stored = { readonly fileId: string; readonly fileHash: string; readonly contentHash: string };

const chunksEach = 3;
export const chunkBytes = 20_000;
export const fileBytes = chunksEach * chunkBytes - 7;

/** The active manifest in the database. */
export async function readManifest({ app }: TestApp, { fileId }: Pick<Stored, 'fileId'>): Promise<ChunkManifest> {
  return readStoredManifest(app.database.db, fileId);
}

export async function writeManifest({ app }: TestApp, { fileId }: Stored, text: string): Promise<void> {
  await writeManifestText(app.database.db, fileId, text);
}

/** The path of a chunk's object on the disk. */
export async function objectOf(app: TestApp, file: Pick<Stored, 'fileId'>, index = 1): Promise<string> {
  const { chunks } = await readManifest(app, file);
  const { folders, file: name } = toObjectPath(chunks[index]?.storagePath ?? '');
  return join(app.folder, 'objects', 'objects', ...folders, name);
}

export async function flipByte(path: string, position: number): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(position) ^ 4, position);
  await writeFile(path, bytes);
}

async function swap(left: string, right: string): Promise<void> {
  const [first, second] = [await readFile(left), await readFile(right)];
  await writeFile(left, second);
  await writeFile(right, first);
}

type Findings = readonly string[];
type Levels = readonly [lightweight: Findings, medium: Findings, heavy: Findings, full: Findings];

export type Harm = {
  readonly hurt: (app: TestApp, file: Stored, other: Stored) => Promise<unknown>;
  /** The finding of each level about the file. */
  readonly found: Levels;
  /** The finding of each level about the other file, where it is damaged too. */
  readonly inOther?: Levels;
};

const everywhere = (type: string): Levels => [[type], [type], [type], [type]];
const fromMedium = (type: string): Levels => [[], [type], [type], [type]];
const whereRead = (type: string): Levels => [[], [], [type], [type]];

async function entryOf({ app }: TestApp, { fileHash }: Stored): Promise<EntryRow> {
  const [entry] = await listEntriesAbout(app.database.db, 'FILE_RECORD', [fileHash]);
  if (entry === undefined) throw new Error(`the ledger has no record ${fileHash}`);
  return entry;
}

export const harms: Readonly<Record<string, Harm>> = {
  'an object that is gone': {
    hurt: async (app, file) => rm(await objectOf(app, file)),
    found: everywhere('OBJECT_NOT_FOUND'),
  },
  'a flipped byte': {
    hurt: async (app, file) => flipByte(await objectOf(app, file), 500),
    found: whereRead('CONTENT_HASH_MISMATCH'),
  },
  'a truncated object': {
    hurt: async (app, file) => truncate(await objectOf(app, file), 100),
    found: everywhere('METADATA_MISMATCH'),
  },
  'a length that is noted otherwise': {
    hurt: async (app, file) => {
      const { chunks } = await readManifest(app, file);
      const objects = app.app.database.db.updateTable('stored_object').set(eb => ({ size: eb('size', '+', 1) }));
      return objects.where('path', '=', chunks[1]?.storagePath ?? '').execute();
    },
    found: everywhere('METADATA_MISMATCH'),
  },
  'a hash that was edited in the manifest': {
    hurt: async (app, file) => {
      const manifest = await readManifest(app, file);
      const text = JSON.stringify(manifest).replace(manifest.chunks[1]?.plainHash ?? '', `sha256:${'0'.repeat(64)}`);
      return writeManifest(app, file, text);
    },
    found: fromMedium('MANIFEST_INVALID'),
  },
  'a manifest that is not canonical any more': {
    hurt: async (app, file) => writeManifest(app, file, ` ${JSON.stringify(await readManifest(app, file))}`),
    found: fromMedium('MANIFEST_INVALID'),
  },
  'a manifest that is none': {
    hurt: (app, file) => writeManifest(app, file, '{}'),
    found: everywhere('MANIFEST_INVALID'),
  },
  'the manifest of another file': {
    hurt: async (app, file, other) => writeManifest(app, file, JSON.stringify(await readManifest(app, other))),
    found: everywhere('MANIFEST_INVALID'),
  },
  'chunks in another order': {
    hurt: async (app, file) => {
      const manifest = await readManifest(app, file);
      return writeManifest(app, file, JSON.stringify({ ...manifest, chunks: manifest.chunks.toReversed() }));
    },
    found: fromMedium('MANIFEST_INVALID'),
  },
  'a manifest that was dropped': {
    hurt: (app, { fileId }) =>
      app.app.database.db.deleteFrom('manifest').where('file_id', '=', Number(fileId)).execute(),
    found: everywhere('MANIFEST_MISSING'),
  },
  'a wrapped key that was changed': {
    hurt: ({ app }, { fileId }) => {
      const envelope = app.database.db.updateTable('envelope').where('file_id', '=', Number(fileId));
      return envelope.set({ wrapped_key: randomBytes(60) }).execute();
    },
    found: whereRead('MANIFEST_INVALID'),
  },
  'an envelope that is gone': {
    hurt: ({ app }, { fileId }) =>
      app.database.db.deleteFrom('envelope').where('file_id', '=', Number(fileId)).execute(),
    found: whereRead('MANIFEST_INVALID'),
  },
  'a nonce that was changed': {
    hurt: ({ app }, { fileId }) => {
      const file = app.database.db.updateTable('file').where('id', '=', Number(fileId));
      return file.set({ file_nonce: '0'.repeat(32) }).execute();
    },
    found: whereRead('MANIFEST_INVALID'),
  },
  'another content hash of a file without a proof': {
    hurt: ({ app }, { fileId }) => {
      const file = app.database.db.updateTable('file').where('id', '=', Number(fileId));
      return file.set({ content_hash: `sha256:${'0'.repeat(64)}` }).execute();
    },
    found: [[], [], [], ['MANIFEST_INVALID']],
  },
  'an edited entry of the ledger': {
    hurt: async (app, file) => {
      const { entry, position } = await entryOf(app, file);
      const edited = entry.replace(/"manifestHash":"sha256:..../, '"manifestHash":"sha256:0000');
      await writeEntry(app.app.database.db, position, edited);
    },
    found: whereRead('CHAIN_MISMATCH'),
  },
  'an entry of the ledger that is gone': {
    hurt: async (app, file) =>
      app.app.database.db
        .deleteFrom('ledger_entry')
        .where('position', '=', (await entryOf(app, file)).position)
        .execute(),
    found: whereRead('CHAIN_NOT_FOUND'),
  },
  'objects of two files that changed places': {
    hurt: async (app, file, other) => swap(await objectOf(app, file), await objectOf(app, other)),
    found: everywhere('METADATA_MISMATCH'),
    inOther: everywhere('METADATA_MISMATCH'),
  },
};

export const listAlerts = async (root: Person, query: Record<string, string> = {}) =>
  (await root.call(api.listIntegrityAlerts, { query: { sort: 'createdAt,asc', size: '100', ...query } })).records;

/** The finding of one level about the file; its alerts are deleted again. */
export async function findAt(app: TestApp, root: Person, level: api.CheckLevel, fileId: string): Promise<string[]> {
  const result = await root.call(api.checkIntegrity, { body: { level, fileId } });
  const types = (await listAlerts(root, { fileId })).map(({ alertType }) => alertType);
  await app.app.database.db.deleteFrom('integrity_alert').execute();
  if (result.mismatchesFound !== types.length || result.errorsEncountered > 0 || result.totalChecked !== 1)
    throw new Error(`the answer does not fit its alerts: ${JSON.stringify({ result, types })}`);
  return types;
}
