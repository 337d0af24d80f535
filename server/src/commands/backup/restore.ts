// Restores a backup to where nothing is yet, and with --verify looks all of it through afterwards. Exit code 1 where anything is
// missing or does not hold.
import { resolve } from 'node:path';
import { migrations } from '../../compose/features.ts';
import { openInstallation } from '../../compose/open-schema.ts';
import { type Config, readConfig } from '../../config/config.ts';
import type { OpenedManifest } from '../../platform/backup/manifest.ts';
import { openPieces } from '../../platform/backup/pieces.ts';
import { exitCodes, UsageError } from '../exit.ts';
import { parseLocalArgs } from '../local.ts';
import { readPassphrase } from './passphrase.ts';
import { findBackup, type Restored, restoreBackup } from './restore-backup.ts';
import { checkPieces } from './take-backup.ts';
import { type Verified, verifyInstallation } from './verify-installation.ts';

const tell = (what: string): void => void process.stderr.write(`${what} …\n`);

export async function restore(args: readonly string[]): Promise<number> {
  const { values, configArgs } = parseLocalArgs(
    args,
    ['from', 'backup', 'passphrase-file'],
    ['verify', 'check', 'json'],
  );
  if (values.from === undefined) throw new UsageError('say what: restore --from DIR --data NEW.');
  if (!values.check && !configArgs.includes('--data'))
    throw new UsageError('say where to: restore --from DIR --data NEW; NEW must be empty, or not be there.');
  const from = resolve(values.from);
  const config = await readConfig(configArgs);
  const passphrase = await readPassphrase({ file: values['passphrase-file'], config });
  const backup = await findBackup(from, values.backup, passphrase);
  if (values.check) return check(from, backup);
  const restored = await restoreBackup(config, backup, { from, tell });
  const verified = values.verify ? await verify(config) : null;
  const report = {
    backup: backup.name,
    takenAt: backup.content.takenAt,
    ...restored,
    lost: backup.content.lost,
    verified,
  };
  process.stdout.write(
    values.json ? `${JSON.stringify(report, null, 2)}\n` : toText(config, backup, { restored, verified }),
  );
  const isWhole = backup.content.lost.count === 0 && (verified?.problems.length ?? 0) === 0;
  return isWhole ? exitCodes.ok : exitCodes.failed;
}

async function check(from: string, { name, content }: OpenedManifest): Promise<number> {
  await using pieces = await openPieces(from);
  tell('reading all of the backup');
  await checkPieces(pieces, content);
  process.stdout.write(`${name} of ${content.takenAt} is whole: ${content.objects.count} objects, database and keys\n`);
  return exitCodes.ok;
}

async function verify(config: Config): Promise<Verified> {
  tell('looking all of it through');
  const schema = await openInstallation(config, migrations);
  try {
    return await verifyInstallation(config, schema);
  } finally {
    await schema.database.close();
  }
}

type Outcome = { readonly restored: Restored; readonly verified: Verified | null };

function toText(config: Config, { content }: OpenedManifest, { restored, verified }: Outcome): string {
  const { lost, takenAt } = content;
  const lines = [
    `restored to ${config.dataFolder} as it was at ${takenAt}: ${restored.objects} objects, database and keys`,
    ...(lost.count === 0 ? [] : [`${lost.count} objects were lost before the backup was made:`]),
    ...lost.first.map(line => `  ${line}`),
    ...(verified === null ? ['not looked through; that is what --verify does'] : toVerdict(verified)),
  ];
  return lines.map(line => `${line}\n`).join('');
}

function toVerdict({ files, ledger, auditChains, problems }: Verified): string[] {
  const counts = `${files} files with their manifests, ${ledger.size} ledger entries, ${ledger.tiles} tiles, ${ledger.checkpoints} checkpoints, ${auditChains} audit chains`;
  return [
    `verified: ${counts}: ${problems.length === 0 ? 'all sound' : 'NOT SOUND'}`,
    ...problems.map(line => `  ${line}`),
  ];
}
