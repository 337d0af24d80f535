// Runs one suite against whole servers on the databases of its project. A test closes the servers that it starts
// (`await using`).

import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import { describe } from 'vitest';
import { startApp, type TestApp, type TestAppOptions } from './app.ts';
import { engines } from './engines.ts';

export type StartApp = (options?: TestAppOptions) => Promise<TestApp>;

const names = { sqlite: 'on SQLite', postgres: 'on PostgreSQL' };

export function eachApp(suite: (start: StartApp, engine: Engine) => void): void {
  for (const engine of engines) {
    describe(names[engine], () => suite(options => startApp({ engine, ...options }), engine));
  }
}
