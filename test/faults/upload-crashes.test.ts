// Kills of a server at each commit of the completion of an upload, on both databases.
import { afterAll, describe, expect, test } from 'vitest';
import { crashAtEveryCommit } from '../support/completion-crashes.ts';
import { newInstallation } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';

afterAll(stopPostgres);

const toEnv: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
};

for (const [name, env] of Object.entries(toEnv)) {
  describe(name, () => {
    for (const kind of ['proxied', 'direct'] as const) {
      test(`killed at any commit of a completion, the next server completes a ${kind} upload`, async () => {
        await using installation = await newInstallation(await env());
        const kills = await crashAtEveryCommit(installation, kind);
        console.log(`${name}, ${kind}: killed at ${kills} moments`);
        expect(kills).toBeGreaterThan(8);
      });
    }
  });
}
