// Runs one suite on the database engines of its project. Each test opens databases of its own, which are closed and
// removed after it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Migration, migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Database, Engine } from '@recordproof/server/platform/db/open-db.ts';
import { afterAll, afterEach, describe } from 'vitest';
import { openTestDatabase, type TestDatabaseAddress } from './database-address.ts';
import { engines } from './engines.ts';
import { postgres, stopPostgres } from './postgres.ts';

export type TestDatabase = Database & {
  readonly address: TestDatabaseAddress;
  /** Another handle on the same data, as a second server would have it. */
  openAgain(): Promise<Database>;
};

/** Opens a new, empty database and migrates it to the given schema. */
export type OpenDatabase = (migrations?: readonly Migration[]) => Promise<TestDatabase>;

export function eachDatabase(suite: (engine: Engine, open: OpenDatabase) => void): void {
  const cleanUps: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  afterAll(stopPostgres);
  for (const engine of engines) {
    describe(engine, () => {
      suite(engine, async (migrations = []) => {
        const { address, remove } = await newAddress(engine);
        cleanUps.push(remove);
        const openAgain = async () => {
          const database = await openTestDatabase(address);
          cleanUps.push(() => database.close());
          return database;
        };
        const database = await openAgain();
        if (migrations.length > 0) await migrate(database.db, engine, migrations, 0);
        return { ...database, address, openAgain };
      });
    });
  }
}

async function newAddress(
  engine: Engine,
): Promise<{ address: TestDatabaseAddress; remove: () => Promise<void> | void }> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'recordproof-db-'));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    return { address: { kind: engine, at: join(folder, 'test.db') }, remove };
  }
  const { url, drop } = await (await postgres()).freshDatabase();
  return { address: { kind: engine, at: url }, remove: drop };
}
