import { afterAll, expect, test } from 'vitest';
import { newInstallation } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { killAtRandom } from '../support/random-kills.ts';

/** On each database. */
const kills = Number(process.env.KILLS ?? 200);
const timeoutMs = 300_000 + kills * 10_000;

afterAll(stopPostgres);

for (const name of ['SQLite', 'PostgreSQL']) {
  test(
    `${name}: killed at ${kills} random moments, a server loses nothing that it acknowledged and leaves nothing else`,
    async () => {
      const env = name === 'SQLite' ? {} : { DATABASE_URL: (await (await postgres()).freshDatabase()).url };
      await using installation = await newInstallation(env);
      const { acknowledged } = await killAtRandom(installation, kills);
      console.log(`${name}: ${kills} kills, ${acknowledged} acknowledged files`);
      expect(acknowledged).toBeGreaterThan(kills / 10);
    },
    timeoutMs,
  );
}
