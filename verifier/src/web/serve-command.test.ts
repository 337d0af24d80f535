// The service as a process: its start, its refusals to start, online mode over real connections, and its end.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { addressOf } from '../../../test/support/packaged.ts';
import { listVectors, serveVectors } from '../../../test/support/vectors.ts';
import { RawUpload, rawBoundary, rawPart, toForm } from '../../../test/support/verifier-service.ts';
import { settingNames } from './settings.ts';

const launcher = fileURLToPath(new URL('../../bin/recordproof-verify.mjs', import.meta.url));
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VERIFIER_')));
const vectors = listVectors();
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function start(settings: Record<string, string> = {}): ChildProcess {
  const env = { ...clean, VERIFIER_PORT: '0', ...settings };
  const child = spawn(process.execPath, [launcher, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  return child;
}

const reject = (args: readonly string[], settings: Record<string, string>) =>
  spawnSync(process.execPath, [launcher, 'serve', ...args], { env: { ...clean, ...settings }, encoding: 'utf8' });

test('the help names every setting', () => {
  const { status, stdout } = reject(['--help'], {});
  expect(status).toBe(0);
  expect(settingNames.filter(name => !stdout.includes(name))).toEqual([]);
});

test('invalid settings are reported in one sentence', { tags: 'long' }, async () => {
  const port = createServer().listen(0, '127.0.0.1');
  await once(port, 'listening');
  const taken = String((port.address() as AddressInfo).port);
  for (const [args, settings, code, sentence] of [
    [[], { VERIFIER_ONLINE_ENABLED: 'true' }, 64, /^VERIFIER_ONLINE_ENABLED=true needs .*\n$/],
    [[], { VERIFIER_MAX_CONCURRENT: 'many' }, 64, /^VERIFIER_MAX_CONCURRENT .* must be a whole number.*\n$/],
    [['--port', 'one'], {}, 64, /^VERIFIER_PORT .* must be a whole number.*\n$/],
    [['--ports', '1'], {}, 64, /^there is an option that is not known\nTry recordproof-verify serve --help\n$/],
    [[], { VERIFIER_PORT: taken }, 4, /^The service could not start: its port is taken.*\n$/],
  ] as const) {
    const { status, stdout, stderr } = reject(args, settings);
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(sentence);
  }
  port.close();
});

test('online the service requests issuer and chain, and can return VALID', async () => {
  await using world = await serveVectors(vectors);
  const sound = vectors.find(({ name }) => name === 'live-issuer-key_ok');
  const [, issuer = '', template = ''] = world.onlineArguments('live-issuer-key_ok');
  const service = start({
    VERIFIER_ONLINE_ENABLED: 'true',
    VERIFIER_ISSUER_BASE_URI: issuer.slice(issuer.indexOf('=') + 1),
    VERIFIER_CHAIN_URL_TEMPLATE: template.slice(template.indexOf('=') + 1),
    VERIFIER_ALLOWED_HOSTS: '127.0.0.1',
    VERIFIER_ALLOW_HTTP: 'true',
    VERIFIER_ALLOW_PRIVATE_ADDRESSES: 'true',
  });
  const url = await addressOf(service);
  const post = () => {
    const body = toForm([
      ['original', readFileSync(sound?.originalPath ?? '')],
      ['proof', readFileSync(sound?.proofPath ?? '')],
    ]);
    return fetch(`${url}/api/v1/verify`, { method: 'POST', body }).then(response => response.json());
  };
  expect(await post()).toMatchObject({ outcome: 'VALID', summary: { keySource: 'ISSUER', currentStatus: 'ACTIVE' } });
  expect(await post()).toMatchObject({ outcome: 'VALID' });
  // Key and root are remembered for a while, a status never.
  expect(world.asked.filter(path => path.includes('/status'))).toHaveLength(2);
  expect(world.asked).toHaveLength(4);
});

test('on SIGTERM the service completes running requests and accepts no more', async () => {
  const service = start();
  const url = await addressOf(service);
  const [sound] = vectors.filter(({ name }) => name === 'key-none_ok');
  const form = Buffer.concat([
    rawPart('original', readFileSync(sound?.originalPath ?? '')),
    rawPart('proof', readFileSync(sound?.proofPath ?? '')),
    Buffer.from(`--${rawBoundary}--\r\n`),
  ]);
  const upload = await RawUpload.open(url, [
    `content-length: ${form.length}`,
    'expect: 100-continue',
    'connection: close',
  ]);
  await upload.until('100 Continue');
  const stopping = once(service.stderr ?? service, 'data');
  service.kill('SIGTERM');
  await stopping;
  await expect(fetch(url)).rejects.toThrow();
  upload.socket.write(form);
  expect(await upload.until('"outcome": "INDETERMINATE"')).toContain('HTTP/1.1 200');
  expect(await once(service, 'exit')).toEqual([0, null]);
});
