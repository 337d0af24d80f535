// Journey of an administrator through a key rotation at a terminal, against a real server: from the policy to the
// certificate.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listIssuerKeys } from '@recordproof/shared/api/proofs.ts';
import { main as verify } from '@recordproof/verifier/cli.ts';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Ended, type Home, openHome } from '../../cli/src/testing.ts';
import { masterKeyFile, openLocalKeys } from '../../server/src/platform/crypto/local-keys.ts';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { testWith } from '../support/programs.ts';
import { storeProxied } from '../support/uploads.ts';

/** Each step depends on the one before, and some are typed at a terminal. */
const test = testWith('script');

let app: TestApp;
let home: Home;
let root: Person;

beforeAll(async () => {
  app = await startApp({ env: { KEY_ROTATION_ENABLED: 'true' } });
  home = await openHome(app.app);
  root = await app.person('root', { role: 'admin' });
  for (let count = 0; count < 3; count += 1) await storeProxied(root, randomBytes(100));
  const keys = await openLocalKeys({ path: join(app.config.keysFolder, masterKeyFile), createIfMissing: false });
  await keys.addVersion();
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});

const env = () => ({ RECORDPROOF_TOKEN: root.token ?? '' });
const rotation = (line: string): Promise<Ended> =>
  home.runHere(['admin', 'key-rotation', ...line.split(' ')], { env: env() });
const typed = (line: string, dialogue: readonly (readonly [string, string])[]): Promise<Ended> =>
  home.type(['admin', 'key-rotation', ...line.split(' ')], dialogue, { env: env() });

/** One envelope a minute by the server's clock, which only moves here: nothing happens between two steps. */
async function whileWorking(program: Promise<Ended>): Promise<Ended> {
  let isOver = false;
  const watched = program.finally(() => {
    isOver = true;
  });
  const work = async () => {
    app.clock.advance(60_000);
    await app.drain();
    return isOver;
  };
  await expect.poll(work, { timeout: 60_000, interval: 100 }).toBe(true);
  return watched;
}

async function check(...args: string[]) {
  let stdout = '';
  const code = await verify(['certificate', ...args], {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: () => true },
  });
  return { code, stdout };
}

test('without a policy the command explains how to create one', async () => {
  const shown = await rotation('policy');
  expect(shown).toMatchObject({ code: 1, stdout: '' });
  expect(shown.stderr).toContain('policy --provider local --key-version');
  expect((await rotation('policy --per-minute 10')).code).toBe(64);
  expect((await rotation('status')).stderr).toContain('there is no run yet');
});

test('a policy is saved, changed in one field, and used for planning', async () => {
  const saved = await rotation('policy --provider local --key-version 2 --logical-version 2 --grace 0');
  expect(saved).toMatchObject({ code: 0, stderr: '' });
  expect(saved.stdout).toContain('local (contract 1), version 2');
  const changed = await rotation('policy --per-minute 1 --batch-size 1 --schedule off --json');
  expect(JSON.parse(changed.stdout)).toMatchObject({
    policyVersion: 2,
    providerKeyVersion: '2',
    maxItemsPerMinute: 1,
    gracePeriodSeconds: 0,
  });
  expect((await rotation('policy --key-version 9')).stderr).toContain('wrapped by the key version 2, not by 9');
  const planned = await whileWorking(rotation('plan'));
  expect(planned).toMatchObject({ code: 0 });
  expect(planned.stdout).toMatch(/mode +DRY_RUN\nstatus +COMPLETED\n(?:.*\n)*to be moved +3\n/);
});

test('a run starts after confirmation, and is paused, resumed and left by keys', async () => {
  expect(await typed('start', [['(yes/no)', 'no\r']])).toMatchObject({ code: 1 });
  expect((await rotation('start')).code).toBe(64);
  const watched = await typed('start --watch --every 1', [
    ['(yes/no)', 'yes\r'],
    ['q leave', 'p'],
    ['run is PAUSED now', 'r'],
    ['run is RUNNING now', 'q'],
  ]);
  expect(watched.code).toBe(0);
  const [, after = ''] = watched.stdout.split('\x1b[?1049l');
  expect(after).toContain('run 2  RUNNING');
  const interrupted = await typed('watch', [['q leave', '\x03']]);
  expect(interrupted.code).toBe(130);
  expect(interrupted.stdout).toContain('\x1b[?1049l');
});

test('without a terminal a watch writes lines, and ends with the run', async () => {
  const lines = await whileWorking(rotation('watch --every 1'));
  expect(lines).toMatchObject({ code: 0, stderr: '' });
  expect(lines.stdout.trimEnd().split('\n').at(-1)).toMatch(/^\S+Z {2}run 2 {2}COMPLETED {2}100\.0 % {2}3 of 3$/);
  const json = await rotation('watch --json');
  expect(JSON.parse(json.stdout)).toMatchObject({ runId: '2', status: 'COMPLETED', failures: [] });
  expect((await rotation('list')).stdout).toMatch(/^2 +APPLY +COMPLETED +3\/3/m);
  expect((await rotation('items --limit 2')).stdout).toMatch(/OWNER +SUCCEEDED/);
  expect((await rotation('items --limit 2')).stderr).toContain('there are more: --after ');
  expect((await rotation('pause 2')).stderr).toContain('cannot be paused');
});

test('the certificate and the items are written once, and contain what the verifier checks', async () => {
  const line = 'certificate 2 -o cert.json --items items.ndjson';
  expect(await rotation(line)).toMatchObject({ code: 0 });
  expect((await rotation(line)).stderr).toContain('cert.json exists');
  const [issuer] = await root.call(listIssuerKeys);
  const [certificate, items, key] = ['cert.json', 'items.ndjson', 'key.json'].map(name => join(home.path, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(key, JSON.stringify(issuer));
  expect(await check(certificate, `--items=${items}`, `--trusted-key=${key}`)).toMatchObject({ code: 0 });
  expect((await check(certificate)).code).toBe(3);
  await writeFile(items, (await readFile(items, 'utf8')).replace('OWNER', 'SHARE'));
  expect((await check(certificate, `--items=${items}`, `--trusted-key=${key}`)).code).toBe(2);
});

test('the deletion of the old key is recorded after confirmation', async () => {
  await root.login('root', testPassword); // the clock of the tests above has moved by more than ten minutes
  expect(await typed('acknowledge', [['(yes/no)', 'no\r']])).toMatchObject({ code: 1 });
  const noted = await rotation('acknowledge --yes');
  expect(noted).toMatchObject({ code: 0 });
  expect(noted.stdout).toContain('gone, as was noted at');
  expect((await rotation('cancel --yes')).stderr).toContain('cannot be cancelled');
});
