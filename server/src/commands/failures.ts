// How a command ends when something was thrown: one sentence and an exit code for what the operator can fix; anything
// else is a bug, whose stack is shown only on request. Loaded only then.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { ConfigError } from '@recordproof/shared/settings/read-setting.ts';
import { FlagError } from '../config/flag-problem.ts';
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
import { type Ending, exitCodes, Interrupted, UsageError } from './exit.ts';

type Failure = {
  readonly ending: Ending;
  readonly code: number;
  readonly message: string;
  /** Of a call that the server itself would have rejected. */
  readonly api?: { readonly code: number; readonly status: number };
};

type Kind = abstract new (...args: never[]) => Error;

const told: readonly (readonly [Ending, readonly Kind[]])[] = [
  ['usage', [UsageError, FlagError]],
  ['config', [ConfigError, FolderRefused, InstallationRefused, KeyFileRefused]],
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

const toEnd = (ending: Ending, message: string): Failure => ({ ending, code: exitCodes[ending], message });

export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return toEnd('bug', toBug(String(error)));
  const known = told.find(([, kinds]) => kinds.some(kind => error instanceof kind));
  if (known) return { ...toEnd(known[0], toSentence(error.message)), ...toApi(error) };
  const reason = findSystemReason(error);
  return reason ? toEnd('failed', toSentence(reason)) : toEnd('bug', toBug(error.message));
}

const toBug = (message: string): string =>
  `this is a bug: ${toSentence(message)} Run it again with --log-level debug and report what it prints.`;

const toApi = (error: Error): Pick<Failure, 'api'> =>
  error instanceof ApiError ? { api: { code: error.code, status: error.status } } : {};

/** As the client's command line writes them. */
export const toFailureJson = ({ ending, code, message, api }: Failure): unknown => ({
  error: { kind: toKind(ending), message, exitCode: code, ...api },
});

const toKind = (ending: Ending): string => ending.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase();

/** The stacks of an error and of what caused it. */
export function toStacks(thrown: unknown): string {
  const stacks: string[] = [];
  for (let error = thrown; error instanceof Error && stacks.length < 5; error = error.cause)
    stacks.push(error.stack ?? error.message);
  return stacks.join('\ncaused by: ');
}
