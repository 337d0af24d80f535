// Health of what an operator has to act on: free disk space, and the age of the newest backup.
import { toIso } from '../../platform/clock.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import { classifyDiskSpace, readDiskSpace } from '../../platform/disk-space.ts';
import type { HealthProbe } from '../../platform/health.ts';
import { findInstalledAt } from '../../platform/installation.ts';
import type { Server } from '../../platform/server.ts';
import { openSharedRead } from '../../platform/telemetry/shared-read.ts';
import { getDefaultTenant } from '../accounts/index.ts';
import { findNewestOperation } from '../audit/index.ts';

type DiskPorts = {
  readonly folder: string;
  readonly reserveBytes: number;
  /** Whether the reserve was released because the disk is full. */
  readonly isReleased: () => boolean;
};

const problems = {
  low: 'less than 10 % of the disk of the data folder is free',
  full: 'the disk of the data folder is full: uploads are rejected; free room, or move the folder',
} as const;

/** DEGRADED, because a server without space still serves downloads. */
export const diskProbe = ({ folder, reserveBytes, isReleased }: DiskPorts): HealthProbe => ({
  name: 'disk',
  check: async () => {
    const room = await readDiskSpace(folder);
    const level = isReleased() ? 'full' : classifyDiskSpace(room, reserveBytes);
    if (level === 'ok') return { status: 'UP', details: room };
    return { status: 'DEGRADED', details: { ...room, reserveReleased: isReleased(), error: problems[level] } };
  },
});

/** Returns null if there was never one. `backup` writes a row to the audit log. */
async function findNewestBackup(db: Db): Promise<Time | null> {
  return findNewestOperation(db, await getDefaultTenant(db), { module: 'server', operation: 'backup' });
}

const hourMs = 3_600_000;

type BackupPorts = Pick<Server, 'clock'> & { readonly db: Db; readonly maxAgeHours: number };

/** 0 hours: backups are made by other means and not monitored. Before the first one, the age counts from the set-up. */
export const backupProbe = ({ db, clock, maxAgeHours }: BackupPorts): HealthProbe => ({
  name: 'backup',
  check: async () => {
    const newest = await findNewestBackup(db);
    const details = { newestBackupAt: newest === null ? null : toIso(newest), maxAgeHours };
    if (maxAgeHours === 0) return { status: 'UP', details };
    const since = newest ?? (await findInstalledAt(db)) ?? clock.now();
    if (clock.now() - since <= maxAgeHours * hourMs) return { status: 'UP', details };
    const error = `no backup was made for more than ${maxAgeHours} hours; run: recordproof-server backup`;
    return { status: 'DEGRADED', details: { ...details, error } };
  },
});

const one = (value: number) => [{ labels: {}, value }];
const shared = { keepMs: 10_000, timeoutMs: 2000 } as const;

type Dependencies = Pick<Server, 'metrics' | 'database' | 'clock' | 'config' | 'reserve'>;

export function declareOperatorMetrics({ metrics, database, clock, config, reserve }: Dependencies): void {
  const room = openSharedRead(() => readDiskSpace(config.dataFolder), { clock, ...shared });
  const newest = openSharedRead(() => findNewestBackup(database.db), { clock, ...shared });
  metrics.gauge({
    name: 'app_disk_free_bytes',
    help: 'Free bytes on the disk of the data folder',
    labels: {},
    read: async () => one((await room()).freeBytes),
  });
  metrics.gauge({
    name: 'app_disk_total_bytes',
    help: 'Size of the disk of the data folder, in bytes',
    labels: {},
    read: async () => one((await room()).totalBytes),
  });
  metrics.gauge({
    name: 'app_disk_reserve_released',
    help: 'Whether the disk is full and its reserve was released, so that uploads are rejected: 1 or 0',
    labels: {},
    read: () => one(reserve.isReleased ? 1 : 0),
  });
  metrics.gauge({
    name: 'app_backup_age_seconds',
    help: 'Time since the newest backup; absent before the first one',
    labels: {},
    read: async () => {
      const at = await newest();
      return at === null ? [] : one(Math.max(0, (clock.now() - at) / 1000));
    },
  });
}
