// Runs one suite against whole servers on both databases. What a test starts it closes itself (`await using`).
import { afterAll, describe, vi } from 'vitest';
import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import { postgres, stopPostgres } from './postgres.ts';

// Each test starts a server and logs several people in, on PostgreSQL a database besides.
vi.setConfig({ testTimeout: 60_000 });

export type StartApp = (options?: TestAppOptions) => Promise<TestApp>;

export function eachApp(suite: (start: StartApp) => void): void {
  describe('on SQLite', () => suite(startApp));
  describe('on PostgreSQL', () => {
    afterAll(stopPostgres);
    suite(async (options = {}) => {
      const { url, drop } = await (await postgres()).freshDatabase();
      const app = await startApp({ ...options, env: { ...options.env, DATABASE_URL: url } });
      const close = app[Symbol.asyncDispose];
      return {
        ...app,
        [Symbol.asyncDispose]: async () => {
          await close();
          await drop();
        },
      };
    });
  });
}
