// Obstacles to a move that has not begun, one sentence each. Read-only.
import { isEmptyStore } from '../../compose/installation-halves.ts';
import { withDatabase } from '../../compose/open-schema.ts';
import type { Config } from '../../config/config.ts';
import { isBegun, MoveError } from '../../platform/db/move-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { findRowObstacles } from './move-database.ts';
import type { MovePlan } from './plan-move.ts';

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
