// Runs one suite against whole servers on both databases. What a test starts it closes itself (`await using`).
import { afterAll, describe } from 'vitest';
import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import { postgres, stopPostgres } from './postgres.ts';

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
