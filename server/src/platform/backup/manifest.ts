// Manifest of one backup: names everything that belongs to it, and is authenticated with the passphrase. It is written
// last and atomically; without it there is no backup. The format is in docs/spec/backup.md.
import { jsonOrNone } from '@recordproof/shared/json-or-none.ts';
import { z } from 'zod';
import {
  type BackupKeyring,
  type BackupKeys,
  computeMac,
  keyIdText,
  type SealedBytes,
  saltText,
  seal,
  sealedBytes,
  unseal,
  verifyMac,
} from './backup-keys.ts';
import { BackupDamaged, BackupRejected, type BackupTarget, manifestFolder } from './backup-target.ts';
import { Pieces, piece } from './pieces.ts';

const count = z.int().min(0);
const counter = z.strictObject({ table: z.string(), column: z.string(), value: count });
const pages = z.array(piece);

const format = z.literal('recordproof-backup');
/** Identifies the installation. */
const fingerprint = z.string().regex(/^[0-9a-f]{32}$/);
const common = {
  format,
  program: z.string().max(100),
  /** Time of the database snapshot. */
  takenAt: z.iso.datetime(),
  fingerprint,
  salt: saltText,
};

const contents = {
  engine: z.enum(['sqlite', 'postgres']),
  /** Migrations that the schema has. */
  schema: z.array(z.string().max(500)),
  /** `counters`: PostgreSQL's sequence values. SQLite keeps them in its file. */
  database: z.strictObject({ bytes: count, pages, counters: z.array(counter).max(10_000) }),
  objects: z.strictObject({ count, bytes: count, pages }),
  /** Objects that the installation itself had lost. */
  lost: z.strictObject({ count, first: z.array(z.string().max(2000)).max(100) }),
  keys: sealedBytes,
};

/** Format of earlier versions, without encryption. */
const plainManifest = z.strictObject({ ...common, ...contents, formatVersion: z.literal(1) });

const sealedManifest = z.strictObject({
  ...common,
  formatVersion: z.literal(2),
  /** The area below `sealed/` with its pieces; shared by all backups with one passphrase. */
  pool: keyIdText,
  contents: sealedBytes,
});
const sealedContents = z.strictObject(contents);

export type Manifest = Omit<z.infer<typeof plainManifest>, 'formatVersion'>;

/** The members that are readable without a passphrase, and unauthenticated. */
const header = z.looseObject({ takenAt: common.takenAt, pool: keyIdText.optional(), salt: saltText });
type ManifestHeader = z.infer<typeof header>;

const pathIn = (name: string): string => `${manifestFolder}/${name}`;
const ending = '.json';
/** A hundred million objects have fifty thousand pages. */
const largestManifest = 64 * 2 ** 20;
const macLength = 64; // hex digits of HMAC-SHA-256
const lineFeed = 10;

/** File name by time; later backups sort last. */
const toName = (takenAt: string): string => `${takenAt.replaceAll(/[-:]/g, '').replace('.', '-')}${ending}`;

/** Durable when it resolves; returns the name and the path. */
export async function writeManifest(target: BackupTarget, content: Manifest, keys: BackupKeys) {
  const { format: kind, program, takenAt, fingerprint: owner, salt, ...rest } = content;
  const sealed: z.infer<typeof sealedManifest> = {
    format: kind,
    formatVersion: 2,
    program,
    takenAt,
    fingerprint: owner,
    salt,
    pool: keys.keyId,
    contents: seal(keys.contents, Buffer.from(JSON.stringify(sealedContents.parse(rest)))),
  };
  const text = JSON.stringify(sealedManifest.parse(sealed));
  const name = toName(takenAt);
  await target.createFile(pathIn(name), Buffer.from(`${text}\n${computeMac(keys, text)}\n`));
  return { name, path: target.pathOf(pathIn(name)) };
}

export const removeManifests = (target: BackupTarget, names: readonly string[]): Promise<void> =>
  target.removeFiles(names.map(pathIn));

export type OpenedManifest = {
  readonly name: string;
  readonly content: Manifest;
  readonly keys: BackupKeys;
  /** Index of the passphrase that opened it. */
  readonly nth: number;
  readonly pieces: Pieces;
};

/** Unauthenticated: only for uses in which a forged header does no harm. */
export async function readHeader(target: BackupTarget, name: string): Promise<ManifestHeader> {
  const { text } = await readLines(target, name);
  const read = header.safeParse(jsonOrNone(text));
  if (read.success) return read.data;
  throw new BackupRejected(`the file ${target.pathOf(pathIn(name))} is damaged, or of another version.`);
}

/** A backup of an earlier version, equally unauthenticated. */
export async function readUnproven(target: BackupTarget, name: string): Promise<Manifest> {
  const { text } = await readLines(target, name);
  const read = plainManifest.safeParse(jsonOrNone(text));
  if (read.success) return read.data;
  throw new BackupRejected(
    `the file ${target.pathOf(pathIn(name))} is damaged, or of another version; nothing was removed.`,
  );
}

/** Two lines: the manifest as JSON, and its MAC. */
async function readLines(target: BackupTarget, name: string): Promise<{ readonly text: string; readonly mac: string }> {
  const bytes = await target.readFile(pathIn(name), largestManifest);
  const end = bytes?.indexOf(lineFeed) ?? -1;
  const mac = bytes?.subarray(end + 1);
  if (!bytes || !mac || end < 0 || mac.length !== macLength + 1 || mac.at(-1) !== lineFeed)
    throw new BackupRejected(`the file ${target.pathOf(pathIn(name))} is damaged; use another backup.`);
  return { text: bytes.toString('utf8', 0, end), mac: mac.toString('utf8', 0, macLength) };
}

/** Unauthenticated manifests are never parsed: these members are found by pattern. */
const saltMember = /"salt":"([A-Za-z0-9+/=]{24})"/;
const keyIdMember = /"pool":"([0-9a-f]{16})"/;

/** Uses nothing of the file but the salt before the passphrase has authenticated all of it. */
export async function openManifest(
  target: BackupTarget,
  name: string,
  keyring: BackupKeyring,
): Promise<OpenedManifest> {
  const path = target.pathOf(pathIn(name));
  const { text, mac } = await readLines(target, name);
  const salt = saltText.safeParse(saltMember.exec(text)?.[1]);
  if (!salt.success) throw new BackupRejected(`the file ${path} is damaged; use another backup.`);
  const { keys, nth } = await findKeys({ path, text, mac }, salt.data, keyring);
  const value = jsonOrNone(text);
  const plain = plainManifest.safeParse(value);
  const content = plain.success ? plain.data : parseSealed(value, keys);
  if (content === null)
    throw new BackupRejected(
      `the backup ${path} was made by another version of this program; restore it with that one.`,
    );
  return { name, content, keys, nth, pieces: new Pieces(target.pieces, plain.success ? null : keys) };
}

type Vouched = { readonly path: string; readonly text: string; readonly mac: string };

async function findKeys({ path, text, mac }: Vouched, salt: string, keyring: BackupKeyring) {
  for (let nth = 0; nth < keyring.size; nth += 1) {
    const keys = await keyring.keysFor(salt, nth);
    if (verifyMac(keys, text, mac)) return { keys, nth };
    // The key id matches these keys, so the passphrase is right and the manifest damaged.
    if (keyIdMember.exec(text)?.[1] === keys.keyId)
      throw new BackupDamaged(`the file ${path} was altered after the backup was made; use another backup.`);
  }
  const wrong =
    keyring.size === 1 ? 'the passphrase is not the one' : `none of the ${keyring.size} passphrases is the one`;
  throw new BackupRejected(
    `${wrong} of ${path}, or the file was altered; check the passphrase, or use another backup.`,
  );
}

function parseSealed(value: unknown, keys: BackupKeys): Manifest | null {
  const sealed = sealedManifest.safeParse(value);
  if (!sealed.success) return null;
  const { formatVersion: _, pool: __, contents: bytes, ...shared } = sealed.data;
  const opened = sealedContents.safeParse(jsonOrNone(openContents(keys, bytes)));
  return opened.success ? { ...shared, ...opened.data } : null;
}

const openContents = (keys: BackupKeys, bytes: SealedBytes): string => unseal(keys.contents, bytes)?.toString() ?? '';
