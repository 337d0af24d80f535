// Whether this program can take over what is there. Changes nothing. Exit code 1 where it cannot.
import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { migrations } from '../compose/features.ts';
import { lookAtSchema } from '../compose/open-schema.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { Migration, SchemaState } from '../platform/db/migrate.ts';
import type { Db } from '../platform/db/tables.ts';
import { version } from '../version.ts';
import { exitCodes, UsageError } from './exit.ts';
import { parseLocalArgs } from './local.ts';

export async function upgrade(args: readonly string[]): Promise<number> {
  const { values, configArgs } = parseLocalArgs(args, [], ['check', 'json']);
  if (!values.check) throw new UsageError('say upgrade --check; the upgrade itself is to start the new program.');
  const config = await readConfig(configArgs);
  const { database, state } = await lookAtSchema(config, migrations);
  const obstacles = await findObstacles(config, database.db, state).finally(() => database.close());
  const report = { version, pending: state.pending.map(({ name }) => name), obstacles };
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : toText(report));
  return obstacles.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function findObstacles(config: Config, db: Db, { pending, refusal }: SchemaState): Promise<string[]> {
  if (refusal !== null) return [refusal];
  if (pending.length === 0) return [];
  const [first, ...later] = pending;
  const obstacles = [first && (await askBefore(db, first)), await refuseSmallDisk(config)];
  // Those of later steps may ask of tables that steps before them make: then the start asks, and changes nothing either.
  for (const step of later) obstacles.push(await askBefore(db, step).catch(() => null));
  return obstacles.filter(obstacle => typeof obstacle === 'string');
}

const askBefore = async (db: Db, { name, precondition }: Migration): Promise<string | null> => {
  const refusal = await db.transaction().execute(async tx => (await precondition?.(tx)) ?? null);
  return refusal === null ? null : `"${name}" cannot be applied: ${refusal}`;
};

/** A step may write every row anew before the old ones go. */
async function refuseSmallDisk({ db, dataFolder }: Config): Promise<string | null> {
  if (db.kind !== 'sqlite') return null;
  const { bavail, bsize } = await statfs(dataFolder);
  const { size } = statSync(db.path);
  if (bavail * bsize >= 2 * size) return null;
  return `the disk of ${dataFolder} has less room than twice the database (${size} bytes); free some.`;
}

type Report = { readonly version: string; readonly pending: readonly string[]; readonly obstacles: readonly string[] };

function toText({ version: program, pending, obstacles }: Report): string {
  const steps = pending.map(name => `  pending  ${name}\n`).join('');
  if (obstacles.length > 0) return `${steps}${obstacles.map(line => `  REFUSED  ${line}\n`).join('')}`;
  if (pending.length === 0) return `version ${program} can take over as it is: the schema is up to date\n`;
  const advice =
    'Make a backup with the program of before, stop the server, start the new one: it takes these steps at its start.';
  return `${steps}version ${program} can take over, with ${pending.length} steps of the schema. ${advice}\n`;
}
