// Checks of the machine: its disk, permissions of the data folder, limit of open files.
import { existsSync, readFileSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { classifyDiskSpace, readDiskSpace } from '../../platform/disk-space.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const gibibyte = 2 ** 30;
const mebibyte = 2 ** 20;
const toText = (bytes: number): string =>
  bytes >= gibibyte ? `${(bytes / gibibyte).toFixed(1)} GiB` : `${Math.floor(bytes / mebibyte)} MiB`;

function nearestThere(path: string): string {
  let at = path;
  while (!existsSync(at)) at = dirname(at);
  return at;
}

/** Linux magic numbers of network file systems. */
const networkDisks: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
};

export async function inspectDisk({ dataFolder, reserveBytes, db }: Config): Promise<Finding[]> {
  const folder = nearestThere(dataFolder);
  const { ffree, files, type } = await statfs(folder);
  const diskRoom = await readDiskSpace(folder);
  const { freeBytes: free, totalBytes: all } = diskRoom;
  const level = classifyDiskSpace(diskRoom, reserveBytes);
  const share = all === 0 ? 100 : Math.round((100 * free) / all);
  const room = `${toText(free)} (${share} %) are free at ${folder}`;
  const remedy = 'Free room, or move the data folder to a larger disk.';
  const findings: Finding[] = [];
  if (level === 'full')
    findings.push(failure('disk', `${room}; uploads are refused`, `${remedy} Or lower reserve-bytes.`));
  else findings.push(level === 'low' ? warning('disk', room, remedy) : ok('disk', room));
  if (files > 0 && ffree / files < 0.05)
    findings.push(warning('disk', `${ffree} more files fit at ${folder}`, 'Make a file system with more inodes.'));
  const network = networkDisks[type];
  if (db.kind === 'sqlite' && network !== undefined)
    findings.push(
      failure(
        'disk',
        `the data folder lies on ${network}, which does not keep SQLite's promises`,
        'Put it on a disk of this machine, or use PostgreSQL (DATABASE_URL).',
      ),
    );
  return findings;
}

export async function inspectRights({ dataFolder, keysFolder }: Config): Promise<Finding[]> {
  if (!existsSync(dataFolder)) return [ok('rights', `${dataFolder} is not there yet; the first start makes it`)];
  const findings: Finding[] = [];
  const me = process.getuid?.();
  const { mode, uid } = await stat(dataFolder);
  if (me !== undefined && uid !== me)
    findings.push(
      warning(
        'rights',
        `${dataFolder} belongs to another user (${uid}) than the one who asks (${me})`,
        'Run this, and the server, as the user whom the folder belongs to.',
      ),
    );
  for (const [path, bits] of [
    [dataFolder, mode],
    [keysFolder, existsSync(keysFolder) ? (await stat(keysFolder)).mode : 0],
  ] as const)
    if ((bits & 0o007) !== 0)
      findings.push(warning('rights', `all users of this machine can access ${path}`, `Run: chmod 700 ${path}`));
  if (me === 0)
    findings.push(warning('rights', 'this runs as root', 'Give the server a user of its own that owns the folder.'));
  return findings.length > 0 ? findings : [ok('rights', `${dataFolder} is ours alone`)];
}

/** Open files besides event streams: connections, objects, the database. */
const otherHandles = 2000;

export function inspectHandles({ events }: Config): Finding[] {
  const path = join('/proc', 'self', 'limits');
  const [, soft] = existsSync(path) ? (/^Max open files +(\d+)/m.exec(readFileSync(path, 'utf8')) ?? []) : [];
  if (soft === undefined) return [];
  const required = events.maxStreams + otherHandles;
  if (Number(soft) >= required) return [ok('files', `${soft} may be open at once`)];
  return [
    warning(
      'files',
      `${soft} may be open at once, and events.max-streams alone allows ${events.maxStreams}`,
      `Raise the limit to ${required} (LimitNOFILE of the unit, or ulimit -n), or lower events.max-streams.`,
    ),
  ];
}
