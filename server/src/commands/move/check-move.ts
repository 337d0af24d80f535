// `migrate move --check`: what a move would do, and its obstacles, one sentence each; also while a server runs. Read-only.
import { migrations } from '../../compose/features.ts';
import { isEmptyStore } from '../../compose/installation-halves.ts';
import { openInstallation, withDatabase } from '../../compose/open-schema.ts';
import { openStoreOf } from '../../compose/open-store.ts';
import type { Config } from '../../config/config.ts';
import { countStored } from '../../features/stored-objects/index.ts';
import { isBegun, MoveError } from '../../platform/db/move-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { toLines } from '../outcome.ts';
import { countRows, findRowObstacles } from './move-database.ts';
import { type MovePlan, toSource } from './plan-move.ts';

/** `startedAt`: of an unfinished move. */
export async function checkMove(config: Config, plan: MovePlan) {
  const source = await openInstallation(toSource(config, plan), migrations);
  await using opened = new AsyncDisposableStack();
  opened.use(source.database);
  const store = opened.use(await openStoreOf(config, source.keys));
  const { database, objects, underWay } = plan;
  return {
    database: database && { to: database.to, rows: countRows(database.from.path) },
    objects: objects && { to: objects.to, ...(await countStored(source.database.db)) },
    startedAt: underWay?.startedAt ?? null,
    obstacles: underWay === null ? await findObstacles(config, plan, store) : [],
  };
}

type Check = Awaited<ReturnType<typeof checkMove>>;

export function toCheckText({ database, objects, startedAt, obstacles }: Check): string {
  const lines = [
    ...(database === null ? [] : [`database  ${database.rows} rows to ${database.to}`]),
    ...(objects === null
      ? []
      : [`objects   ${objects.count} (${objects.bytes} bytes), and parts of unfinished uploads, to ${objects.to}`]),
    ...(startedAt === null ? [] : [`started at ${startedAt}; "migrate move" continues it`]),
    ...obstacles.map(line => `REFUSED   ${line}`),
  ];
  return toLines(lines);
}

export async function findObstacles(config: Config, plan: MovePlan, store: ObjectStore): Promise<string[]> {
  const obstacles: string[] = [];
  if (plan.database !== null) {
    const taken = await askTarget(config, db => rejectionOf(isBegun(db, null)));
    if (taken !== null) obstacles.push(taken);
    obstacles.push(...findRowObstacles(plan.database.from.path));
  }
  if (plan.objects !== null && !(await isEmptyStore(store)))
    obstacles.push(`the bucket ${plan.objects.to} is not empty; name another one.`);
  return obstacles;
}

/** Queries the database of the settings and closes it. */
export async function askTarget<T>({ db }: Config, question: (db: Db) => Promise<T>): Promise<T> {
  const result = await withDatabase(db, async database => ({ database, answer: await question(database.db) }));
  await result.database.close();
  return result.answer;
}

const rejectionOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    error => {
      if (error instanceof MoveError) return error.message;
      throw error;
    },
  );
