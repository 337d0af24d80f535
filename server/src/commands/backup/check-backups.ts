// `restore --check`: reads every byte of the backups in a folder and lists all damage. A piece that several backups
// share is read once.

import { BackupKeyring } from '../../platform/backup/backup-keys.ts';
import type { BackupTarget } from '../../platform/backup/backup-target.ts';
import { BackupDamaged, BackupRejected } from '../../platform/backup/backup-target.ts';
import { listDatabasePieces } from '../../platform/backup/database-part.ts';
import { DigestSet } from '../../platform/backup/digest-set.ts';
import { readPage } from '../../platform/backup/lists.ts';
import { type Manifest, type OpenedManifest, openManifest } from '../../platform/backup/manifest.ts';
import { type Piece, PieceDamaged, type Pieces } from '../../platform/backup/pieces.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import { NotFoundError } from '../../platform/installation.ts';
import { exitCodes, toLines } from '../outcome.ts';
import { copyConcurrency, type ObjectEntry, objectEntry } from './copy-objects.ts';
import { type Passphrases, toTexts } from './passphrase.ts';

type CheckedBackup = {
  readonly backup: string;
  readonly takenAt: string;
  /** Source of the passphrase that opens the backup. */
  readonly passphrase: string;
  readonly objects: number;
  /** Digests of damaged pieces of the database: nothing can be restored. */
  readonly database: readonly string[];
  /** Digests of damaged object lists: their objects are restored as far as the database knows them. */
  readonly lists: readonly string[];
  /** Damaged objects: "restore --keep-going" restores all others and lists the affected files. */
  readonly damaged: readonly ObjectEntry[];
};

/** A backup with an unusable manifest, and why. */
type UnreadableBackup = { readonly backup: string; readonly problem: string };

type BackupCheck = CheckedBackup | UnreadableBackup;

type Options = {
  readonly named?: string | undefined;
  readonly passphrases: Passphrases;
  readonly tell: (what: string) => void;
};

/** Newest first. */
export async function checkBackups(from: BackupTarget, options: Options): Promise<BackupCheck[]> {
  const { named, passphrases, tell } = options;
  const names = await chooseBackups(from, named);
  const keyring = new BackupKeyring(...toTexts(passphrases));
  const check = new PieceCheck(passphrases.map(({ from }) => from));
  const checks: BackupCheck[] = [];
  for (const name of names.toReversed()) {
    tell(`reading ${name}`);
    const opened = await openManifest(from, name, keyring).catch(error => {
      if (error instanceof BackupRejected || error instanceof BackupDamaged) return { problem: error.message };
      throw error;
    });
    checks.push('problem' in opened ? { backup: name, ...opened } : await check.run(opened));
  }
  return checks;
}

/** All backups, or the named one. */
export async function chooseBackups(from: BackupTarget, named: string | undefined): Promise<string[]> {
  const names = await from.listManifests();
  const chosen = named === undefined ? names : names.filter(one => one === named || one === `${named}.json`);
  if (chosen.length > 0) return chosen;
  if (named === undefined)
    throw new NotFoundError(`there is no backup in ${from.name}; name the folder that "backup --to" was given.`);
  throw new NotFoundError(`there is no backup "${named}" in ${from.name}; there are: ${names.join(', ') || 'none'}.`);
}

class PieceCheck {
  readonly #intact = new DigestSet();
  /** By key, because old and new backups hold the same bytes under different keys. */
  readonly #damaged = new Set<string>();
  readonly #passphrases: readonly string[];

  /** `passphrases`: the source of each. */
  constructor(passphrases: readonly string[]) {
    this.#passphrases = passphrases;
  }

  async run({ name, content, pieces, nth }: OpenedManifest): Promise<CheckedBackup> {
    const { takenAt, objects } = content;
    const database = await this.#checkDatabase(pieces, content);
    const lists: string[] = [];
    const damaged: ObjectEntry[] = [];
    for (const page of objects.pages) {
      const entries = await readIntact(() => readPage(pieces, page, objectEntry));
      if (entries === null) lists.push(page.sha256);
      else damaged.push(...(await this.#findDamaged(pieces, entries)));
    }
    const passphrase = this.#passphrases[nth] ?? '';
    return { backup: name, takenAt, passphrase, objects: objects.count, database, lists, damaged };
  }

  async #checkDatabase(pieces: Pieces, manifest: Manifest): Promise<string[]> {
    const damaged: string[] = [];
    for (const page of manifest.database.pages) {
      const only = { ...manifest, database: { ...manifest.database, pages: [page] } };
      const listed = await readIntact(async () => (await Array.fromAsync(listDatabasePieces(pieces, only))).flat());
      if (listed === null) damaged.push(page.sha256);
      else damaged.push(...(await this.#findDamaged(pieces, listed)).map(({ sha256 }) => sha256));
    }
    return damaged;
  }

  async #findDamaged<P extends Piece>(pieces: Pieces, listed: readonly P[]): Promise<P[]> {
    const keyed = new Map(listed.map(one => [pieces.keyOf(one), one]));
    const unread = [...keyed].filter(([key]) => !this.#damaged.has(key) && !this.#intact.has(key));
    await inParallel(unread, ([key, one]) => this.#read(pieces, key, one), copyConcurrency);
    return listed.filter(one => this.#damaged.has(pieces.keyOf(one)));
  }

  async #read(pieces: Pieces, key: string, one: Piece): Promise<void> {
    try {
      await pieces.check(one);
      this.#intact.add(key);
    } catch (error) {
      if (!(error instanceof PieceDamaged)) throw error;
      this.#damaged.add(key);
    }
  }
}

/** Null if damaged. */
async function readIntact<T>(read: () => Promise<T[]>): Promise<T[] | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PieceDamaged) return null;
    throw error;
  }
}

/** Exit code of the worst result. */
export function toCheckCode(checks: readonly BackupCheck[]): number {
  const has = (is: (check: CheckedBackup) => boolean) => checks.some(check => !('problem' in check) && is(check));
  if (has(({ database }) => database.length > 0)) return exitCodes.damaged;
  if (checks.some(check => 'problem' in check)) return exitCodes.failed;
  return has(({ lists, damaged }) => lists.length + damaged.length > 0) ? exitCodes.partial : exitCodes.ok;
}

export const toCheckText = (checks: readonly BackupCheck[]): string => toLines(checks.flatMap(listLines));

function listLines(check: BackupCheck): string[] {
  if ('problem' in check) return [`${check.backup} CANNOT BE OPENED: ${check.problem}`];
  const { backup, takenAt, passphrase, objects, database, lists, damaged } = check;
  const about = `${backup} of ${takenAt}, opened by ${passphrase},`;
  if (database.length + lists.length + damaged.length === 0)
    return [`${about} is complete: ${objects} objects, database and keys`];
  const verdict =
    database.length > 0
      ? 'its database is damaged, the backup is damaged as a whole: nothing can be restored from it'
      : `the backup is damaged: ${damaged.length} of ${objects} objects; "restore --keep-going" restores the others, and names the files`;
  return [
    `${about} is not whole: ${verdict}`,
    ...database.map(sha256 => `  database  piece ${sha256}`),
    ...lists.map(sha256 => `  list      piece ${sha256}`),
    ...damaged.map(({ key, sha256 }) => `  object    ${key}, piece ${sha256}`),
  ];
}
