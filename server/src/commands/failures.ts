// Failures of commands: one sentence and an exit code for what the operator can fix. Everything else is a bug, whose
// stack is shown only on request. Loaded on failure only.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { FlagError } from '../config/flag-problem.ts';
import { LedgerDamaged } from '../features/chain/index.ts';
import { BackupDamaged, BackupRejected } from '../platform/backup/backup-target.ts';
import { DatabaseDamaged } from '../platform/backup/database-part.ts';
import { PieceDamaged } from '../platform/backup/pieces.ts';
import { KeyProviderError } from '../platform/crypto/envelope.ts';
import { MasterKeyFileError } from '../platform/crypto/master-key-file.ts';
import { KeyFileError } from '../platform/crypto/server-keys.ts';
import { SchemaError } from '../platform/db/migrate.ts';
import { MoveError } from '../platform/db/move-rows.ts';
import { DatabaseUnavailable } from '../platform/db/open-db.ts';
import { InstallationError, NotFoundError, ServiceUnavailable, StartError } from '../platform/installation.ts';
import { FolderError } from '../platform/make-folder.ts';
import { ObjectStoreError } from '../platform/objects/object-store.ts';
import { StoreUnavailable } from './backup/copy-objects.ts';
import { CommandRejected, type Ending, exitCodes, Interrupted, UsageError } from './outcome.ts';

type Failure = {
  readonly ending: Ending;
  readonly code: number;
  readonly message: string;
  /** For a call that the server's API would also reject. */
  readonly api?: { readonly code: number; readonly status: number };
};

type Kind = abstract new (...args: never[]) => Error;

const kindsByEnding: readonly (readonly [Ending, readonly Kind[]])[] = [
  ['usage', [UsageError, FlagError]],
  ['config', [ConfigError, FolderError, InstallationError, KeyFileError, MasterKeyFileError]],
  ['interrupted', [Interrupted]],
  ['nothingThere', [NotFoundError]],
  ['damaged', [BackupDamaged]],
  ['unavailable', [DatabaseUnavailable, ServiceUnavailable]],
  ['failed', [StartError, SchemaError, KeyProviderError, ObjectStoreError, LedgerDamaged, ApiError]],
  ['failed', [CommandRejected, BackupRejected, PieceDamaged, DatabaseDamaged, StoreUnavailable, MoveError]],
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

/** Errors of writes, which carry no path. */
const ofWholeDisks: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

/** The text for an error of the operating system. */
function findSystemReason(error: Error): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (code === 'DRIVER_NOT_LOADED') return error.message; // in a packaged program
  const sqlite = sqliteReasons.find(([pattern]) => pattern.test(code));
  if (sqlite) return `${sqlite[1]} (${code})`;
  const reason = fileReasons[code];
  if (reason === undefined || (path === undefined && !ofWholeDisks.has(code))) return undefined;
  return `${path ?? 'a file'} cannot be used: ${reason} (${code})`;
}

const toSentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`);

const toEnd = (ending: Ending, message: string): Failure => ({ ending, code: exitCodes[ending], message });

export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return toEnd('bug', toBug(String(error)));
  const match = kindsByEnding.find(([, kinds]) => kinds.some(kind => error instanceof kind));
  if (match) return { ...toEnd(match[0], toSentence(error.message)), ...toApi(error) };
  const reason = findSystemReason(error);
  return reason ? toEnd('failed', toSentence(reason)) : toEnd('bug', toBug(error.message));
}

const toBug = (message: string): string =>
  `this is a bug: ${toSentence(message)} Run it again with --log-level debug and report what it prints.`;

const toApi = (error: Error): Pick<Failure, 'api'> =>
  error instanceof ApiError ? { api: { code: error.code, status: error.status } } : {};

/** In the format of the client's command line. */
export const toFailureJson = ({ ending, code, message, api }: Failure): unknown => ({
  error: { kind: toKind(ending), message, exitCode: code, ...api },
});

const toKind = (ending: Ending): string => ending.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase();

/** The stacks of an error and its causes. */
export function toStacks(thrown: unknown): string {
  const stacks: string[] = [];
  for (let error = thrown; error instanceof Error && stacks.length < 5; error = error.cause)
    stacks.push(error.stack ?? error.message);
  return stacks.join('\ncaused by: ');
}
