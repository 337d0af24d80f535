// What stands in the way of a move that has not begun; a sentence each. Changes nothing.
import { isEmptyStore } from '../../compose/installation-halves.ts';
import { withDatabase } from '../../compose/open-schema.ts';
import type { Config } from '../../config/config.ts';
import { isBegun, MoveRefused } from '../../platform/db/move-rows.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { findRowObstacles } from './move-database.ts';
import type { MovePlan } from './plan-move.ts';

export async function findObstacles(config: Config, plan: MovePlan, store: ObjectStore): Promise<string[]> {
  const obstacles: string[] = [];
  if (plan.database !== null) {
    const taken = await askTarget(config, db => refusalOf(isBegun(db, null)));
    if (taken !== null) obstacles.push(taken);
    obstacles.push(...findRowObstacles(plan.database.from.path));
  }
  if (plan.objects !== null && !(await isEmptyStore(store)))
    obstacles.push(`the bucket ${plan.objects.to} is not empty; name another one.`);
  return obstacles;
}

/** Asks the database of the settings, and leaves it. */
export async function askTarget<T>({ db }: Config, question: (db: Db) => Promise<T>): Promise<T> {
  const asked = await withDatabase(db, async database => ({ database, answer: await question(database.db) }));
  await asked.database.close();
  return asked.answer;
}

const refusalOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    error => {
      if (error instanceof MoveRefused) return error.message;
      throw error;
    },
  );
