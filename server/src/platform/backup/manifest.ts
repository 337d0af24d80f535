// One backup: a file that names everything that belongs to it, written last, whole or not at all, and vouched for with the
// passphrase. Without such a file there is no backup, whatever pieces lie there. docs/spec/backup.md has the form.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createFile, DurableFolders, errnoOf } from '../durable-files.ts';
import { FileRefused, readRegularFile } from '../read-bounded.ts';
import { type BackupKeys, deriveBackupKeys, isVouchedFor, saltText, sealedBytes, vouchFor } from './backup-keys.ts';
import { piece } from './pieces.ts';

const count = z.int().min(0);
const counter = z.strictObject({ table: z.string(), column: z.string(), value: count });
const pages = z.array(piece);

export const manifest = z.strictObject({
  format: z.literal('recordproof-backup'),
  formatVersion: z.literal(1),
  program: z.string().max(100),
  /** Of which moment the database is. */
  takenAt: z.iso.datetime(),
  engine: z.enum(['sqlite', 'postgres']),
  /** Tells installations apart. */
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
  /** The steps that the schema had taken. */
  schema: z.array(z.string().max(500)),
  /** Counters: how far PostgreSQL has numbered rows. SQLite keeps that in its file. */
  database: z.strictObject({ bytes: count, pages, counters: z.array(counter).max(10_000) }),
  objects: z.strictObject({ count, bytes: count, pages }),
  /** Objects that the installation itself had lost. */
  lost: z.strictObject({ count, first: z.array(z.string().max(2000)).max(100) }),
  salt: saltText,
  keys: sealedBytes,
});
export type Manifest = z.infer<typeof manifest>;

/** What lies there is no backup that can be used; the message is one sentence. */
export class BackupRefused extends Error {}

/** A part of the backup is damaged without which nothing can be restored from it; the message is one sentence. */
export class BackupDamaged extends Error {}

export const folderOf = (backup: string): string => join(backup, 'backups');
export const pathOf = (backup: string, name: string): string => join(folderOf(backup), name);
const ending = '.json';
/** A hundred million objects have fifty thousand pages. */
const largestManifest = 64 * 2 ** 20;
const macLength = 64; // hex digits of HMAC-SHA-256
const lineFeed = 10;

/** A name for a backup of this moment; later ones sort behind it. */
const toName = (takenAt: string): string => `${takenAt.replaceAll(/[-:]/g, '').replace('.', '-')}${ending}`;

/** Durable when it resolves; answers where it is. */
export async function writeManifest(backup: string, content: Manifest, keys: BackupKeys): Promise<string> {
  const text = JSON.stringify(manifest.parse(content));
  const path = pathOf(backup, toName(content.takenAt));
  await new DurableFolders().ensure(folderOf(backup));
  await createFile(path, Buffer.from(`${text}\n${vouchFor(keys, text)}\n`), 0o600);
  return path;
}

/** Names of whole backups, the oldest first; none where nothing of the kind is there. */
export async function listBackups(backup: string): Promise<string[]> {
  const names = await readdir(folderOf(backup)).catch(error => {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  });
  return names.filter(name => name.endsWith(ending)).sort();
}

export type OpenedManifest = { readonly name: string; readonly content: Manifest; readonly keys: BackupKeys };

/** For whoever would do no more with it than its writer: nobody has vouched for what it says. */
export async function readUnproven(backup: string, name: string): Promise<Manifest> {
  const path = pathOf(backup, name);
  const { text } = await readLines(path);
  const content = manifest.safeParse(parseJson(text));
  if (content.success) return content.data;
  throw new BackupRefused(`the file ${path} is damaged, or of another version; nothing was removed.`);
}

/** Two lines: the manifest as JSON, and what vouches for it. */
async function readLines(path: string): Promise<{ readonly text: string; readonly mac: string }> {
  const bytes = await readRegularFile(path, largestManifest).catch(error => {
    throw error instanceof FileRefused ? new BackupRefused(`the file ${path} ${error.message}.`) : error;
  });
  const end = bytes.indexOf(lineFeed);
  const mac = bytes.subarray(end + 1);
  if (end < 0 || mac.length !== macLength + 1 || mac.at(-1) !== lineFeed)
    throw new BackupRefused(`the file ${path} is damaged; use another backup.`);
  return { text: bytes.toString('utf8', 0, end), mac: mac.toString('utf8', 0, macLength) };
}

/** Before the passphrase has vouched for a manifest it is not parsed: only its salt is looked for. */
const saltMember = /"salt":"([A-Za-z0-9+/=]{24})"/;

/** Believes nothing in the file before the passphrase has vouched for all of it, but the salt. */
export async function openManifest(backup: string, name: string, passphrase: string): Promise<OpenedManifest> {
  const path = pathOf(backup, name);
  const { text, mac } = await readLines(path);
  const salt = saltText.safeParse(saltMember.exec(text)?.[1]);
  if (!salt.success) throw new BackupRefused(`the file ${path} is damaged; use another backup.`);
  const keys = await deriveBackupKeys(passphrase, salt.data);
  if (!isVouchedFor(keys, text, mac))
    throw new BackupRefused(`the passphrase is not the one of ${path}, or the file was altered.`);
  const content = manifest.safeParse(parseJson(text));
  if (!content.success)
    throw new BackupRefused(
      `the backup ${path} was made by another version of this program; restore it with that one.`,
    );
  return { name, content: content.data, keys };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
