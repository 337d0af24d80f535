// `restore`: restores a backup into an empty installation and, with --verify, checks all of it. Exit code 1 if objects
// were already lost or a check fails, 2 if damaged files were left out, 65 if nothing can be restored.

import { migrations } from '../../compose/features.ts';
import { openInstallation } from '../../compose/open-schema.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { BackupKeyring } from '../../platform/backup/backup-keys.ts';
import type { BackupTarget } from '../../platform/backup/backup-target.ts';
import { type OpenedManifest, readHeader } from '../../platform/backup/manifest.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Input } from '../declared/local.ts';
import { answer, exitCodes, linesIf, toLines, UsageError } from '../outcome.ts';
import { checkBackups, chooseBackups, toCheckCode, toCheckText } from './check-backups.ts';
import { toLostLine } from './lost-files.ts';
import { openBackupTarget } from './open-target.ts';
import { type Passphrases, readPassphrases, toTexts } from './passphrase.ts';
import { findBackup, type Restored, restoreBackup } from './restore-backup.ts';
import { type Verified, verifyInstallation } from './verify-installation.ts';

const tell = (what: string): void => void process.stderr.write(`${what} …\n`);

type Restoring = Input<'from' | 'backup', 'list' | 'verify' | 'keep-going' | 'check'> & {
  readonly values: { readonly 'passphrase-file': readonly string[] };
};

export async function restore({ values, configArgs }: Restoring): Promise<number> {
  if (!values.check && !values.list && !configArgs.includes('--data'))
    throw new UsageError('--data is missing: restore --from DIR --data NEW; NEW must be empty or not exist.');
  const config = await readConfig(configArgs);
  const address = values.from ?? config.backup.to;
  if (address === undefined)
    throw new UsageError('--from is missing: restore --from DIR, or --from s3://BUCKET/PREFIX.');
  await using from = await openBackupTarget(address, config);
  if (values.list) return list(from, values.json === true);
  const passphrases = await readPassphrases(values['passphrase-file'], config);
  if (values.check) return check(from, { named: values.backup, passphrases, isJson: values.json === true });
  const backup = await findBackup(from, values.backup, new BackupKeyring(...toTexts(passphrases)));
  const restored = await restoreBackup(config, backup, { from, tell, keepGoing: values['keep-going'] === true });
  const lost = new Set(restored.losses.files.map(({ fileId }) => fileId));
  const verified = values.verify ? await verify(config, lost) : null;
  const report = {
    backup: backup.name,
    takenAt: backup.content.takenAt,
    ...restored,
    lost: backup.content.lost,
    verified,
  };
  answer(values.json, { json: report, text: toText(config, backup, { restored, verified }) });
  return toCode(backup, { restored, verified });
}

type Outcome = { readonly restored: Restored; readonly verified: Verified | null };

const isPartial = ({ losses: { files, others }, damagedLists }: Restored): boolean =>
  files.length + others.length + damagedLists > 0;

function toCode({ content: { lost } }: OpenedManifest, { restored, verified }: Outcome): number {
  if (lost.count > 0 || (verified?.problems.length ?? 0) > 0) return exitCodes.failed;
  return isPartial(restored) ? exitCodes.partial : exitCodes.ok;
}

/** Reads only unauthenticated headers, so it asks for no passphrase. */
async function list(from: BackupTarget, isJson: boolean): Promise<number> {
  const listed = [];
  for (const backup of await chooseBackups(from, undefined)) {
    const { takenAt, pool } = await readHeader(from, backup);
    listed.push({ backup, takenAt, isEncrypted: pool !== undefined, passphrase: pool ?? null });
  }
  const lines = listed.map(
    ({ backup, takenAt, passphrase }) =>
      `${backup}  ${takenAt}  ${passphrase === null ? 'not encrypted' : `passphrase ${passphrase}`}`,
  );
  return answer(isJson, { json: { backups: listed }, text: toLines(lines) });
}

type Checking = { readonly named: string | undefined; readonly passphrases: Passphrases; readonly isJson: boolean };

async function check(from: BackupTarget, { named, passphrases, isJson }: Checking): Promise<number> {
  const checks = await checkBackups(from, { named, passphrases, tell });
  answer(isJson, { json: { backups: checks }, text: toCheckText(checks) });
  return toCheckCode(checks);
}

async function verify(config: Config, lost: ReadonlySet<Key>): Promise<Verified> {
  tell('verifying the restored installation');
  const schema = await openInstallation(config, migrations);
  await using _database = schema.database;
  return await verifyInstallation(config, schema, lost);
}

function toText(config: Config, { content }: OpenedManifest, { restored, verified }: Outcome): string {
  const { lost, takenAt } = content;
  const lines = [
    `restored to ${config.dataFolder}, as of ${takenAt}: ${restored.objects} objects, database and keys`,
    ...linesIf(lost.count > 0, `${lost.count} objects were lost before the backup was made:`),
    ...lost.first.map(line => `  ${line}`),
    ...toLossLines(restored),
    ...(verified === null ? ['not verified; use --verify to do so'] : toVerdict(verified)),
  ];
  return toLines(lines);
}

function toLossLines({ losses: { files, others }, damagedLists }: Restored): string[] {
  return [
    ...linesIf(
      files.length > 0,
      `PARTIAL: ${files.length} files are damaged in the backup, and are recorded as damaged here:`,
    ),
    ...files.map(file => `  ${toLostLine(file)}`),
    ...linesIf(others.length > 0, `${others.length} other objects are damaged in the backup:`),
    ...others.map(({ key, usedBy }) => `  ${key} (${usedBy})`),
    ...linesIf(
      damagedLists > 0,
      `${damagedLists} damaged lists of objects: what they named was restored as far as the database knows it`,
    ),
  ];
}

function toVerdict({ files, ledger, auditChains, problems, knownLost }: Verified): string[] {
  const counts = `${files} files with their manifests, ${ledger.size} ledger entries, ${ledger.tiles} tiles, ${ledger.checkpoints} checkpoints, ${auditChains} audit chains`;
  const sound = knownLost === 0 ? 'all sound' : `all sound but ${knownLost} files that are known as lost`;
  return [`verified: ${counts}: ${problems.length === 0 ? sound : 'NOT SOUND'}`, ...problems.map(line => `  ${line}`)];
}
