// Move of the embedded SQLite database to PostgreSQL (DATABASE_URL), and the comparison of both.
import SqliteHandle from 'better-sqlite3';
import { migrations } from '../../compose/features.ts';
import { systemClock } from '../../platform/clock.ts';
import {
  type ComparedTable,
  compareRows,
  listMovedTables,
  MoveError,
  moveRows,
  readShapes,
} from '../../platform/db/move-rows.ts';
import type { Database } from '../../platform/db/open-db.ts';
import { findDamage } from '../../platform/db/sqlite-file.ts';
import { SqliteRows } from '../../platform/db/sqlite-rows.ts';
import type { Progress } from './progress.ts';

const mostNamed = 20;

/** Why the rows cannot be stored in PostgreSQL as they are, one sentence each. */
export function findRowObstacles(path: string): string[] {
  const [damage] = findDamage(path);
  if (damage !== undefined) return [`the database ${path} is damaged, and nothing was moved: ${damage}.`];
  using source = new SqliteRows(path);
  const unfit = listMovedTables(source).flatMap(table => source.findUnfit(table, mostNamed));
  return unfit
    .slice(0, mostNamed)
    .map(
      ({ table, column, key }) =>
        `the text ${table}.${column} of the row ${key.join(', ')} has a NUL, which PostgreSQL cannot hold.`,
    );
}

const countIn = (source: SqliteRows): number =>
  listMovedTables(source).reduce((sum, table) => sum + source.count(table), 0);

export function countRows(path: string): number {
  using source = new SqliteRows(path);
  return countIn(source);
}

const waitMs = 10_000;

/** A command that began before the move would write rows that are not moved. This process must not have it open. */
export function rejectOtherConnections(path: string): void {
  const handle = new SqliteHandle(path, { fileMustExist: true, timeout: waitMs });
  try {
    handle.pragma('locking_mode = exclusive'); // fails while any other connection is open
    handle.prepare('select count(*) from sqlite_schema').get();
  } catch (error) {
    if (!(error instanceof SqliteHandle.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw new MoveError(`another command is at work on ${path}; wait until it has ended, then move again.`);
  } finally {
    handle.close();
  }
}

type Input = { readonly path: string; readonly id: string; readonly progress: Progress };

/** Resumes an interrupted move. Servers are kept off the database until `endMove`. */
export async function moveDatabase({ db }: Database, { path, id, progress }: Input): Promise<ComparedTable[]> {
  const [obstacle] = findRowObstacles(path);
  if (obstacle !== undefined) throw new MoveError(obstacle);
  using source = new SqliteRows(path);
  progress.tell(`moving ${countIn(source)} rows`);
  const now = systemClock.now();
  await moveRows({ db, source, id, migrations, now, onRows: rows => progress.count(`${rows} rows moved`) });
  progress.tell('comparing each row');
  const shapes = await readShapes(db, source);
  return await compareRows({ db, source, shapes, onRows: rows => progress.count(`${rows} rows compared`) });
}
