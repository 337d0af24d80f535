// Applies the migrations of the tests, and reports which ones it applied itself.
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { childInput, tell } from '../child.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../database-address.ts';
import { effectMigrations } from '../effects.ts';

const address = childInput<TestDatabaseAddress>();
const database = await openTestDatabase(address);
tell('ready');
process.once('message', async () => {
  tell(await migrate(database.db, address.kind, effectMigrations, Date.now()));
  await database.close();
  process.disconnect?.();
});
