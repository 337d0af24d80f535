// Connections through a proxy and with a private certificate authority; NO_PROXY and errors of both.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../test/support/app.ts';
import { pattern } from '../../../test/support/bytes.ts';
import { findFreePort } from '../../../test/support/child-process.ts';
import { type Front, openProxy, openTlsFront, type TestProxy } from '../../../test/support/company-network.ts';
import { testWith } from '../../../test/support/programs.ts';
import { type Home, openHome } from '../testing.ts';

const site = 'files.example.org';
const test = testWith('openssl');
let folder: string;
let app: TestApp;
let ada: Person;
let home: Home;
let front: Front;
let proxy: TestProxy;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-company-'));
  app = await startApp({ env: { RECORDPROOF_PUBLIC_URL: `https://${site}` } });
  ada = await app.person('ada');
  home = await openHome();
  front = await openTlsFront(folder, [site], app.app.url);
  proxy = await openProxy({ leadsTo: front.port, login: 'ada:s3cret-of-proxy' });
});
afterEach(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await front?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const environment = (more: Record<string, string> = {}) => ({
  env: {
    RECORDPROOF_SERVER: `https://${site}`,
    RECORDPROOF_TOKEN: ada.token ?? '',
    HTTPS_PROXY: `http://ada:s3cret-of-proxy@127.0.0.1:${proxy.port}`,
    ...more,
  },
});

test('calls, parts and downloads use the proxy, to a server with a private authority', async () => {
  expect((await home.runHere(['config', 'set', 'ca', front.authority])).code).toBe(0);
  const who = await home.runHere(['whoami', '--json'], environment());
  expect(who).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(who.stdout)).toMatchObject({ user: { username: 'ada' } });

  const bytes = await pattern(3 * 2 ** 20, 7);
  await writeFile(join(home.path, 'plan.bin'), bytes);
  const before = proxy.asked.length;
  const uploaded = await home.runHere(['upload', 'plan.bin', '--json'], environment());
  expect(uploaded).toMatchObject({ code: 0 });
  await app.drain();
  const downloaded = await home.runHere(['download', 'plan.bin', '--output', 'back.bin'], environment());
  expect(downloaded).toMatchObject({ code: 0 });
  expect((await readFile(join(home.path, 'back.bin'))).equals(bytes)).toBe(true);
  // Each of the two opened connections for its calls and for its bytes.
  expect(proxy.asked.length - before).toBeGreaterThanOrEqual(4);
  expect(new Set(proxy.asked)).toEqual(new Set([`${site}:443`]));
});

test('NODE_EXTRA_CA_CERTS is trusted too', { tags: 'long' }, async () => {
  const who = await home.run(['whoami'], environment({ NODE_EXTRA_CA_CERTS: front.authority }));
  expect(who).toMatchObject({ code: 0, stderr: '' });
});

test('certificate and proxy errors are reported with a hint, without a password', async () => {
  const untrusted = await home.runHere(['whoami'], environment({ NODE_EXTRA_CA_CERTS: '' }));
  expect(untrusted).toMatchObject({ code: 69, stdout: '' });
  expect(untrusted.stderr).toBe(
    `error: no answer from https://${site}: its certificate comes from an authority that this machine does not know\n` +
      '  try: trust the certificate authority of your network: recordproof config set ca <file.pem>\n',
  );

  const watched = await home.runHere(['ledger', 'watch', '--count', '2', '--every', '1'], environment());
  expect(watched).toMatchObject({ code: 69, stdout: '' });
  expect(watched.stderr.match(/an authority that this machine does not know/g)).toHaveLength(1);

  const result = await home.runHere(['whoami'], environment({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }));
  expect(result).toMatchObject({ code: 69, stdout: '' });
  expect(result.stderr).toContain('the proxy asks for a user name and a password\n  try: check HTTPS_PROXY');

  const port = await findFreePort();
  const away = await home.runHere(['whoami'], environment({ https_proxy: `ada:s3cret-of-proxy@127.0.0.1:${port}` }));
  expect(away).toMatchObject({ code: 69, stdout: '' });
  expect(away.stderr).toContain(`the proxy 127.0.0.1:${port} cannot be reached (ECONNREFUSED)`);

  const wrong = await home.runHere(['whoami'], environment({ HTTPS_PROXY: 'ftp://ada:s3cret-of-proxy@proxy' }));
  expect(wrong).toMatchObject({ code: 78, stdout: '' });
  expect(wrong.stderr).toContain('HTTPS_PROXY must be an address such as');
  for (const { stderr } of [untrusted, watched, result, away, wrong]) expect(stderr).not.toContain('s3cret');
});

test('loopback and NO_PROXY addresses are connected directly', async () => {
  const here = await home.runHere(['whoami'], {
    env: { ...environment().env, RECORDPROOF_SERVER: app.app.url, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` },
  });
  expect(here).toMatchObject({ code: 0 });
  // This name is reachable only through the proxy.
  const direct = await home.runHere(['whoami'], {
    env: { ...environment().env, RECORDPROOF_SERVER: 'https://files.company.invalid', NO_PROXY: 'company.invalid' },
  });
  expect(direct).toMatchObject({ code: 69 });
  expect(direct.stderr).not.toContain('proxy');
  expect(proxy.asked).toEqual([]);
});

test('a ca setting without a certificate is rejected before anything is sent', async () => {
  await writeFile(join(home.path, 'empty.pem'), 'nothing');
  for (const [file, words] of [
    ['empty.pem', 'holds no certificate in PEM'],
    ['gone.pem', 'there is no such file'],
  ] as const) {
    await home.runHere(['config', 'set', 'ca', file]);
    const run = await home.runHere(['whoami'], environment());
    expect(run).toMatchObject({ code: 78, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(run.stderr).toContain(join(home.path, file));
  }
  expect(proxy.asked).toEqual([]);
});
