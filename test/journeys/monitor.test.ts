// Journeys of an administrator with the dashboard of the service, in a terminal and without one, against a real server.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from '../../cli/src/testing.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { watchSystem } from '../support/monitor-watcher.ts';
import { testWith } from '../support/programs.ts';

let app: TestApp;
let home: Home;
let root: Person;

beforeAll(async () => {
  app = await startApp();
  home = await openHome(app.app);
  root = await app.person('root', { role: 'admin' });
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});

const env = () => ({ RECORDPROOF_TOKEN: root.token ?? '' });

testWith('script')(
  'in a terminal the monitor is a screen; q and Ctrl-C leave it and restore the terminal',
  { tags: 'long' },
  async () => {
    const left = await home.type(['admin', 'monitor', '--every', '1'], [['a second', 'q']], { env: env() });
    expect(left.code).toBe(0);
    const [screen = '', after = ''] = left.stdout.split('\x1b[?1049l');
    for (const part of ['parts', 'queues', 'LOCAL_LEDGER', 'alerts']) expect(screen).toContain(part);
    expect(after).toMatch(/UP; all \d+ parts are up; 0 files/);
    const interrupted = await home.type(['admin', 'monitor'], [['q leave', '\x03']], { env: env() });
    expect(interrupted.code).toBe(130);
    expect(interrupted.stdout).toContain('\x1b[?1049l');
  },
);

test('without a terminal the monitor writes a line per change, or a JSON document per sample', async () => {
  const lines = await home.runHere(['admin', 'monitor', '--every', '1', '--count', '1'], { env: env() });
  expect(lines).toMatchObject({ code: 0, stderr: '' });
  expect(lines.stdout).toMatch(/^\S+Z {2}UP; all \d+ parts are up; 0 files/);
  const json = await home.runHere(['admin', 'monitor', '--every', '1', '--count', '2', '--json'], { env: env() });
  const [first = '', second = ''] = json.stdout.trimEnd().split('\n');
  expect(JSON.parse(first)).toMatchObject({ health: { status: 'UP' }, installation: { jobs: { dead: 0 } } });
  expect(JSON.parse(second)).toMatchObject({ stats: { totalFiles: 0 } });
});

test('without a free stream the monitor polls the server, and reports that', async () => {
  const watchers = await Promise.all([1, 2, 3, 4, 5].map(() => watchSystem(root, 3600)));
  try {
    const lines = await home.runHere(['admin', 'monitor', '--every', '1', '--count', '2', '--json'], { env: env() });
    expect(lines).toMatchObject({
      code: 0,
      stderr: 'this server gives no stream now: it is asked every 1 s instead\n',
    });
    expect(lines.stdout.trimEnd().split('\n')).toHaveLength(2);
  } finally {
    for (const watcher of watchers) watcher[Symbol.dispose]();
  }
});

testWith('script')('an account without permission is rejected before a screen opens', async () => {
  const alice = await app.person('alice');
  const rejected = await home.type(['admin', 'monitor'], [], { env: { RECORDPROOF_TOKEN: alice.token ?? '' } });
  expect(rejected.code).toBe(77);
  expect(rejected.stdout).not.toContain('\x1b[?1049h');
});
