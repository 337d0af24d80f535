// Kills of a server at random times during uploads: acknowledged files are kept, each once.
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import { type Installation, newInstallation } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { killAtRandom, SessionClient } from '../support/random-kills.ts';
import { ShortUploadClient } from '../support/short-upload-client.ts';

/** Kills of either kind, on each database. `npm run test:kills` runs more of them. */
const kills = Number(process.env.KILLS ?? 15);
const timeoutMs = 300_000 + kills * 60_000; // a busy machine takes half a minute to restart a server

afterAll(stopPostgres);

const install = async (name: string) =>
  newInstallation(name === 'SQLite' ? {} : { DATABASE_URL: (await (await postgres()).freshDatabase()).url });

async function checkNothingTwice({ config }: Installation): Promise<void> {
  const database = await openDatabase(config.db);
  const files = await database.db.selectFrom('file').select('content_hash').where('status', '=', 1).execute();
  await database.close();
  expect(new Set(files.map(file => file.content_hash)).size, 'contents that are stored once').toBe(files.length);
}

for (const name of ['SQLite', 'PostgreSQL']) {
  test(
    `${name}: killed at ${kills} random times, a server keeps what it acknowledged and nothing else`,
    async () => {
      await using installation = await install(name);
      const { acknowledged } = await killAtRandom(installation, kills, new SessionClient());
      console.log(`${name}: ${kills} kills, ${acknowledged} acknowledged files`);
      expect(acknowledged).toBeGreaterThan(kills / 10);
    },
    timeoutMs,
  );

  test(
    `${name}: killed at ${kills} random times of 64 short uploads, a server keeps each acknowledged file once`,
    async () => {
      await using installation = await install(name);
      const { acknowledged } = await killAtRandom(installation, kills, new ShortUploadClient());
      await checkNothingTwice(installation);
      console.log(`${name}: ${kills} kills, ${acknowledged} acknowledged short uploads`);
      expect(acknowledged).toBeGreaterThan(kills / 10);
    },
    timeoutMs,
  );
}
