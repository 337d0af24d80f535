// Both databases for a bench: an empty SQLite file and an empty PostgreSQL database, one after the other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import { canMeasure } from './bench-figures.ts';
import type { TestDatabaseAddress } from './database-address.ts';
import { postgres, postgresPrograms, stopPostgres } from './postgres.ts';

/** The engines that this machine has, or the named one if the machine has it. */
export const listEngines = (named?: string): Engine[] =>
  (['sqlite', 'postgres'] as const).filter(
    engine =>
      (named === undefined || named === engine) &&
      (engine === 'sqlite' || canMeasure('PostgreSQL', ...postgresPrograms)),
  );

/** The folder may hold other files, too. All of it is deleted afterwards. */
export async function withTestDatabase<T>(
  engine: Engine,
  work: (address: TestDatabaseAddress, folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
  const own = engine === 'postgres' ? await (await postgres()).freshDatabase() : null;
  try {
    return await work({ kind: engine, at: own?.url ?? join(folder, 'bench.db') }, folder);
  } finally {
    await own?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `measure` gets an open, empty database of each engine. */
export async function onEachEngine(
  named: string | undefined,
  measure: (address: TestDatabaseAddress) => Promise<void>,
): Promise<void> {
  try {
    for (const engine of listEngines(named)) await withTestDatabase(engine, measure);
  } finally {
    await stopPostgres();
  }
}
