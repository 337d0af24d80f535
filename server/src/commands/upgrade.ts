// `upgrade --check`: whether this program can take over the existing installation. Read-only. Exit code 1 if it cannot.

import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { migrations } from '../compose/features.ts';
import { inspectSchema } from '../compose/open-schema.ts';
import { type Config, readConfig } from '../config/config.ts';
import { hasTable, type Migration, type SchemaState } from '../platform/db/migrate.ts';
import type { Database } from '../platform/db/open-db.ts';
import type { Db } from '../platform/db/tables.ts';
import { findProgramVersion } from '../platform/program-version.ts';
import { version } from '../version.ts';
import type { Input } from './declared/local.ts';
import { answer, toLines, UsageError } from './outcome.ts';

export async function upgrade({ values, configArgs }: Input<never, 'check'>): Promise<number> {
  if (!values.check)
    throw new UsageError('--check is missing: upgrade --check only reports; to upgrade, start the new program.');
  const config = await readConfig(configArgs);
  const { database: opened, state } = await inspectSchema(config, migrations);
  await using database = opened;
  const report = {
    version,
    installedVersion: await readInstalledVersion(database),
    schema: { installed: state.taken.at(-1)?.name ?? null, after: state.pending.at(-1)?.name ?? null },
    pending: state.pending.map(({ name }) => name),
    obstacles: await findObstacles(config, database.db, state),
  };
  return answer(values.json, { json: report, text: toText(report) }, report.obstacles.length === 0);
}

/** Null if the last program did not record its version, or had no table for it. */
const readInstalledVersion = async ({ db, kind }: Database): Promise<string | null> =>
  (await hasTable(db, kind, 'program_version')) ? findProgramVersion(db) : null;

async function findObstacles(config: Config, db: Db, { pending, rejection }: SchemaState): Promise<string[]> {
  if (rejection !== null) return [rejection];
  if (pending.length === 0) return [];
  const [first, ...later] = pending;
  const obstacles = [first && (await askBefore(db, first)), await rejectSmallDisk(config)];
  // Later steps may query tables that earlier steps create; the start repeats the check before any change.
  for (const step of later) obstacles.push(await askBefore(db, step).catch(() => null));
  return obstacles.filter(obstacle => typeof obstacle === 'string');
}

const askBefore = async (db: Db, { name, precondition }: Migration): Promise<string | null> => {
  const rejection = await db.transaction().execute(async tx => (await precondition?.(tx)) ?? null);
  return rejection === null ? null : `"${name}" cannot be applied: ${rejection}`;
};

/** A step may rewrite every row before the old ones are deleted. */
async function rejectSmallDisk({ db, dataFolder }: Config): Promise<string | null> {
  if (db.kind !== 'sqlite') return null;
  const { bavail, bsize } = await statfs(dataFolder);
  const { size } = statSync(db.path);
  if (bavail * bsize >= 2 * size) return null;
  return `the disk of ${dataFolder} has less room than twice the database (${size} bytes); free some.`;
}

type Report = {
  readonly version: string;
  readonly installedVersion: string | null;
  readonly schema: { readonly installed: string | null; readonly after: string | null };
  readonly pending: readonly string[];
  readonly obstacles: readonly string[];
};

function toText({ version: program, installedVersion, schema, pending, obstacles }: Report): string {
  const installed = installedVersion ?? 'older than the first version that records itself';
  const versions = [
    `installed  ${installed} (schema ${schema.installed ?? 'none'})`,
    `new        ${program} (schema ${schema.after ?? schema.installed ?? 'none'})`,
  ];
  const steps = pending.map(name => `  pending  ${name}`);
  return toLines([...versions, ...steps, ...toVerdict(program, pending, obstacles)]);
}

function toVerdict(program: string, pending: readonly string[], obstacles: readonly string[]): string[] {
  if (obstacles.length > 0) return obstacles.map(line => `  REFUSED  ${line}`);
  if (pending.length === 0) return [`version ${program} can take over as it is: the schema is up to date`];
  const advice =
    'Make a backup with the old program, stop the server, start the new one: its start changes the schema.';
  const steps = pending.length === 1 ? '1 step' : `${pending.length} steps`;
  return [`version ${program} can take over, with ${steps} of the schema. ${advice}`];
}
