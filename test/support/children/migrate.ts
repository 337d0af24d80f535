// Applies the migrations of the tests, and reports which ones it applied itself.
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { childInput, tell } from '../child.ts';
import { effectMigrations } from '../effects.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../place.ts';

const place = childInput<TestDatabaseAddress>();
const database = await openTestDatabase(place);
tell('ready');
process.once('message', async () => {
  tell(await migrate(database.db, place.kind, effectMigrations, Date.now()));
  await database.close();
  process.disconnect?.();
});
