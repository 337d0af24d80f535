// Makes a backup of everything that an installation is: database, objects, ledger, keys. Exit code 1 where the installation has
// lost objects: the backup is made, without them.
import { relative, resolve } from 'node:path';
import { toRealPath } from '@recordproof/shared/node/real-path.ts';
import { openStoreOf } from '../../compose/open-store.ts';
import { getDefaultTenant } from '../../features/accounts/index.ts';
import { recordAudit } from '../../features/audit/index.ts';
import { localCall } from '../../platform/call.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import { exitCodes, UsageError } from '../exit.ts';
import { openLocal, parseLocalArgs } from '../local.ts';
import { readNewPassphrase } from './passphrase.ts';
import { type Taken, takeBackup } from './take-backup.ts';

export async function backup(args: readonly string[]): Promise<number> {
  const { values, configArgs } = parseLocalArgs(args, ['to', 'passphrase-file', 'keep'], ['json', 'quick']);
  if (values.to === undefined) throw new UsageError('say where: backup --to DIR.');
  const to = resolve(values.to);
  await using local = await openLocal(configArgs);
  const { config, database, keys } = local;
  refuseInside(to, config.dataFolder);
  const passphrase = await readNewPassphrase({ file: values['passphrase-file'], config });
  await using objects = await openStoreOf(config, keys, () => '', systemClock);
  const tell = (what: string) => void process.stderr.write(`${what} …\n`);
  const wish = { to, passphrase, keep: toKeep(values.keep), isQuick: values.quick === true, tell };
  const taken = await takeBackup({ config, database, keys, objects }, wish);
  await noteBackup(database.db, taken);
  process.stdout.write(values.json ? `${JSON.stringify(toReport(taken), null, 2)}\n` : toText(taken));
  return taken.manifest.lost.count === 0 ? exitCodes.ok : exitCodes.failed;
}

function toKeep(given: string | undefined): number | undefined {
  if (given === undefined || /^[1-9]\d{0,3}$/.test(given)) return given === undefined ? undefined : Number(given);
  throw new UsageError('--keep wants how many backups stay: a whole number from 1 to 9999.');
}

function refuseInside(to: string, dataFolder: string): void {
  const path = relative(toRealPath(dataFolder), toRealPath(to));
  if (path === '' || !(path.startsWith('..') || path.startsWith('/')))
    throw new UsageError('a backup in the data folder is lost with it; name a folder elsewhere, best on another disk.');
}

/** That copies of everything left the server, keys among them, is for auditors to know. */
async function noteBackup(db: Db, { manifest: { takenAt, objects, lost } }: Taken): Promise<void> {
  const now = systemClock.now();
  await db.transaction().execute(async tx => {
    await recordAudit(
      tx,
      localCall('backup', await getDefaultTenant(tx), now),
      now,
      'server.backup',
      'backup of the whole installation made on the server',
      { takenAt, objects: objects.count, lost: lost.count },
    );
  });
}

const toReport = ({ path, manifest, added, mended, removed }: Taken) => ({
  path,
  takenAt: manifest.takenAt,
  engine: manifest.engine,
  databaseBytes: manifest.database.bytes,
  objects: manifest.objects.count,
  objectBytes: manifest.objects.bytes,
  newObjects: added,
  mendedPieces: mended,
  removedBackups: removed,
  lost: manifest.lost,
});

function toText(taken: Taken): string {
  const { path, takenAt, lost, ...report } = toReport(taken);
  const { objects, newObjects, objectBytes, databaseBytes, mendedPieces, removedBackups } = report;
  const lines = [
    `backup of ${takenAt} is whole: ${path}`,
    `  database  ${databaseBytes} bytes`,
    `  objects   ${objects} (${objectBytes} bytes), ${newObjects} of them new here`,
    ...(mendedPieces === 0
      ? []
      : [`  MENDED    damaged pieces of earlier backups, written anew: ${mendedPieces}; look at that disk`]),
    ...(removedBackups === 0 ? [] : [`  removed   ${removedBackups} older backups`]),
    ...(lost.count === 0 ? [] : [`  LOST      ${lost.count} objects that this installation should have:`]),
    ...lost.first.map(line => `            ${line}`),
  ];
  return lines.map(line => `${line}\n`).join('');
}
