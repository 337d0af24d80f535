// Maintenance mode, switched by an installation administrator from the command line.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../test/support/app.ts';
import { type Home, openHome } from '../testing.ts';

// Each row runs the program.
vi.setConfig({ testTimeout: 300_000 });

let app: TestApp;
let home: Home;
const people: Record<string, Person> = {};

beforeAll(async () => {
  app = await startApp();
  home = await openHome({ url: app.app.url });
  people.root = await app.person('root', { isInstallationAdmin: true });
  people.boss = await app.person('boss', { role: 'admin', tenant: 'acme' });
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});

test.each([
  ['boss', ['on', 'Back soon.'], 77, /not allowed|permission|may not/i], // reported before any question
  ['boss', ['on', 'Back soon.', '--yes'], 77, /not allowed|permission|may not/i],
  ['root', ['on', 'Back soon.'], 64, /--yes/], // no terminal for the question
  ['root', ['status'], 0, /maintenance is off/],
  ['root', ['on', 'Back soon.', '--yes'], 0, /maintenance is on since .*: Back soon\./],
  ['root', ['off'], 0, /maintenance is off/],
] as const)('%s: %j ends with %i', async (name, args, code, told) => {
  const env = { RECORDPROOF_TOKEN: people[name]?.token ?? '' };
  const ended = await home.runHere(['admin', 'maintenance', ...args], { env });
  expect(ended.stdout + ended.stderr).toMatch(told);
  expect(ended.code).toBe(code);
});
