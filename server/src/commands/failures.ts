// How a command ends when something was thrown: one sentence and an exit code for what the operator can mend; anything
// else is a bug and shows where it happened. Loaded only then.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { LedgerDamaged } from '../features/chain/index.ts';
import { BackupDamaged, BackupRefused } from '../platform/backup/backup-refused.ts';
import { DatabaseDamaged } from '../platform/backup/database-part.ts';
import { PieceDamaged } from '../platform/backup/pieces.ts';
import { KeyProviderError } from '../platform/crypto/envelope.ts';
import { KeyFileRefused } from '../platform/crypto/server-keys.ts';
import { SchemaRefused } from '../platform/db/migrate.ts';
import { MoveRefused } from '../platform/db/move-rows.ts';
import { DatabaseUnavailable } from '../platform/db/open-db.ts';
import { InstallationRefused, NothingThere, ServiceUnavailable, StartRefused } from '../platform/installation.ts';
import { FolderRefused } from '../platform/make-folder.ts';
import { ObjectStoreError } from '../platform/objects/object-store.ts';
import { StoreAway } from './backup/copy-objects.ts';
import { exitCodes, Interrupted, UsageError } from './exit.ts';

type Failure = { readonly code: number; readonly message: string };

type Kind = abstract new (...args: never[]) => Error;

const told: readonly (readonly [keyof typeof exitCodes, readonly Kind[]])[] = [
  ['config', [ConfigError, FolderRefused, InstallationRefused, KeyFileRefused]],
  ['usage', [UsageError]],
  ['interrupted', [Interrupted]],
  ['nothingThere', [NothingThere]],
  ['damaged', [BackupDamaged]],
  ['unavailable', [DatabaseUnavailable, ServiceUnavailable]],
  ['failed', [StartRefused, SchemaRefused, KeyProviderError, ObjectStoreError, LedgerDamaged, ApiError]],
  ['failed', [BackupRefused, PieceDamaged, DatabaseDamaged, StoreAway, MoveRefused]],
];

const sqliteReasons: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_NOTADB/, 'the database file is damaged; restore it from a backup'],
  [
    /^SQLITE_CORRUPT/,
    'the database file is damaged, or its disk cannot be read: check the system log, then restore it from a backup',
  ],
  [/^SQLITE_(?:READONLY|CANTOPEN|PERM|AUTH)/, 'the database file may not be opened or written to'],
  [/^SQLITE_FULL/, 'the disk of the database is full'],
  [/^SQLITE_IOERR/, 'the disk of the database fails'],
  [/^SQLITE_(?:BUSY|LOCKED)/, 'another program holds the database'],
];

const fileReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EIO: 'the disk fails',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
};

/** Told by a write, which does not know the path. */
const ofWholeDisks: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

/** What the machine under the server answered, in words. */
function findSystemReason(error: Error): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (code === 'DRIVER_NOT_LOADED') return error.message; // of the program in one file
  const sqlite = sqliteReasons.find(([pattern]) => pattern.test(code));
  if (sqlite) return `${sqlite[1]} (${code})`;
  const reason = fileReasons[code];
  if (reason === undefined || (path === undefined && !ofWholeDisks.has(code))) return undefined;
  return `${path ?? 'a file'} cannot be used: ${reason} (${code})`;
}

const toSentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`);

export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { code: exitCodes.failed, message: String(error) };
  const known = told.find(([, kinds]) => kinds.some(kind => error instanceof kind));
  if (known) return { code: exitCodes[known[0]], message: toSentence(error.message) };
  const reason = findSystemReason(error);
  return { code: exitCodes.failed, message: reason ? toSentence(reason) : (error.stack ?? error.message) };
}
