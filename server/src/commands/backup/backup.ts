// `backup`: backs up database, objects, ledger and keys. Exit code 1 if the installation has lost objects, without
// which the backup is made, or if older backups could not be removed.

import { openStoreOf } from '../../compose/open-store.ts';
import { getDefaultTenant } from '../../features/accounts/index.ts';
import { recordAudit } from '../../features/audit/index.ts';
import { BackupKeyring } from '../../platform/backup/backup-keys.ts';
import { localCall } from '../../platform/call.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Input } from '../declared/local.ts';
import { openLocal } from '../local.ts';
import { answer, linesIf, toLines, UsageError } from '../outcome.ts';
import { openBackupTarget, rejectInside } from './open-target.ts';
import { readNewPassphrase } from './passphrase.ts';
import { type Taken, writeBackup } from './write-backup.ts';

export async function backup({
  values,
  configArgs,
}: Input<'to' | 'passphrase-file' | 'keep', 'quick'>): Promise<number> {
  const keep = toKeep(values.keep);
  await using local = await openLocal(configArgs);
  const { config, database, keys } = local;
  const address = values.to ?? config.backup.to;
  if (address === undefined) throw new UsageError('--to is missing: backup --to DIR, or --to s3://BUCKET/PREFIX.');
  rejectInside(address, config.dataFolder);
  await using target = await openBackupTarget(address, config);
  const keyring = new BackupKeyring(await readNewPassphrase({ file: values['passphrase-file'], config }));
  await using objects = await openStoreOf(config, keys);
  const tell = (what: string) => void process.stderr.write(`${what} …\n`);
  const options = { target, keyring, keep: keep ?? config.backup.keep, isQuick: values.quick === true, tell };
  const taken = await writeBackup({ config, database, keys, objects }, options);
  await noteBackup(database.db, taken);
  const isWhole = taken.manifest.lost.count === 0 && taken.pruneProblem === null;
  return answer(values.json, { json: toReport(taken), text: toText(taken) }, isWhole);
}

function toKeep(input: string | undefined): number | undefined {
  if (input === undefined || /^[1-9]\d{0,3}$/.test(input)) return input === undefined ? undefined : Number(input);
  throw new UsageError('--keep must be the number of backups to keep, from 1 to 9999.');
}

/** Auditors must see that copies of all data, keys included, left the server. */
async function noteBackup(db: Db, { manifest: { takenAt, objects, lost } }: Taken): Promise<void> {
  const now = systemClock.now();
  const text = 'backup of the whole installation made on the server';
  const param = { takenAt, objects: objects.count, lost: lost.count };
  await db.transaction().execute(async tx => {
    await recordAudit(tx, localCall('backup', await getDefaultTenant(tx), now), now, 'server.backup', text, param);
  });
}

const toReport = ({ path, manifest, added, mended, removed, pruneProblem, otherPassphrase }: Taken) => ({
  path,
  takenAt: manifest.takenAt,
  engine: manifest.engine,
  databaseBytes: manifest.database.bytes,
  objects: manifest.objects.count,
  objectBytes: manifest.objects.bytes,
  newObjects: added,
  mendedPieces: mended,
  removedBackups: removed,
  pruneProblem,
  otherPassphrase,
  lost: manifest.lost,
});

function toText(taken: Taken): string {
  const { path, takenAt, lost, ...report } = toReport(taken);
  const others = report.otherPassphrase;
  return toLines([
    `backup of ${takenAt} is complete: ${path}`,
    `  database  ${report.databaseBytes} bytes`,
    `  objects   ${report.objects} (${report.objectBytes} bytes), ${report.newObjects} of them new here`,
    ...linesIf(
      report.mendedPieces > 0,
      `  REPAIRED  damaged pieces of earlier backups, rewritten: ${report.mendedPieces}; check that disk`,
    ),
    ...linesIf(
      others.length > 0,
      `  WARNING   earlier backups (${others.join(', ')}) have another passphrase: keep it as long as you keep them`,
    ),
    ...linesIf(report.removedBackups > 0, `  removed   ${report.removedBackups} older backups`),
    ...linesIf(
      report.pruneProblem !== null,
      `  WARNING   older backups were not removed, or not completely: ${report.pruneProblem}`,
      '            This backup is complete. Move a damaged file away; the next backup removes the rest.',
    ),
    ...linesIf(lost.count > 0, `  LOST      ${lost.count} objects that this installation should have:`),
    ...lost.first.map(line => `            ${line}`),
  ]);
}
