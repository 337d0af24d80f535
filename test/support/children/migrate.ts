// Applies the migrations of the tests, and says which ones it was that applied them.
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { childInput, tell } from '../child.ts';
import { effectMigrations } from '../effects.ts';
import { openPlace, type Place } from '../place.ts';

const place = childInput<Place>();
const database = await openPlace(place);
tell('ready');
process.once('message', async () => {
  tell(await migrate(database.db, place.kind, effectMigrations, Date.now()));
  await database.close();
  process.disconnect?.();
});
