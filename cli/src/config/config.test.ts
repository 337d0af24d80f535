// Settings and profiles: defaults, priority of sources, invalid changes, concurrent writes.
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openHome } from '../testing.ts';

test('a new home has the defaults, and reading them writes nothing', async () => {
  await using home = await openHome();
  const list = await home.runHere(['config', 'list']);
  expect(list.stdout.split('\n').map(line => line.split(/ +/))).toEqual([
    ['profile', 'default', '(default)'],
    ['server', 'http://127.0.0.1:8080', '(default)'],
    ['timeout', '30', '(default)'],
    ['ca', '(default)'],
    [''],
  ]);
  await expect(home.read('config.json')).rejects.toThrow('ENOENT');
});

test('a setting is set, read and reset', async () => {
  await using home = await openHome();
  expect(await home.runHere(['config', 'set', 'server', 'https://Proof.Example.org/base/'])).toMatchObject({ code: 0 });
  expect((await home.runHere(['config', 'get', 'server'])).stdout).toBe('https://proof.example.org/base\n');
  await home.runHere(['config', 'set', 'timeout', '90']);
  const json = await home.runHere(['config', 'get', 'timeout', '--json']);
  expect(JSON.parse(json.stdout)).toEqual({ name: 'timeout', value: 90, source: 'file' });
  await home.runHere(['config', 'unset', 'timeout']);
  expect(await home.read('config.json')).toEqual({
    profile: 'default',
    profiles: { default: { server: 'https://proof.example.org/base' } },
  });
});

test.each([
  ['server', 'ftp://example.org'],
  ['server', 'https://alice:hunter22@example.org'],
  ['server', 'https://example.org/?a'],
  ['timeout', '0'],
  ['timeout', '1.5'],
  ['colour', 'red'],
])('%s cannot be set to %s', async (name, value) => {
  await using home = await openHome();
  const run = await home.runHere(['config', 'set', name, value]);
  expect(run).toMatchObject({ code: 64, stdout: '' });
  expect(run.stderr).not.toContain('hunter22');
});

test('an unknown setting is rejected with a clear message', async () => {
  await using home = await openHome();
  const run = await home.runHere(['config', 'set', 'nope', '1']);
  expect(run.stderr).toBe(
    'error: there is no "nope" here; there is: server, timeout, ca\n  try: recordproof config set --help\n',
  );
});

test.each(['', 'somewhere', './home'])('a home of "%s" is rejected before anything is written', async HOME => {
  await using home = await openHome();
  for (const args of [['config', 'set', 'timeout', '9'], ['login'], ['uploads', 'list']]) {
    const run = await home.runHere(args, { env: { HOME, NODE_COMPILE_CACHE: '' } });
    expect(run).toMatchObject({ code: 78, stdout: '' });
    expect(run.stderr).toMatch(/^error: HOME is not the full path of a folder, .*\n {2}try: set HOME or XDG_\w+ to/);
  }
  expect(await readdir(home.path)).toEqual([]);
  const env = { HOME, NODE_COMPILE_CACHE: '', XDG_CONFIG_HOME: home.path };
  expect((await home.runHere(['config', 'path'], { env })).stdout).toContain(home.path);
});

test('flag, environment, profile and default have this priority, and config list shows the source', async () => {
  await using home = await openHome();
  await home.runHere(['config', 'set', 'server', 'http://file.test']);
  const env = { RECORDPROOF_SERVER: 'http://environment.test' };
  const sourceOf = async (args: string[], options = {}) =>
    (JSON.parse((await home.runHere([...args, 'config', 'list', '--json'], options)).stdout) as { server: object })
      .server;
  expect(await sourceOf([])).toEqual({ value: 'http://file.test', source: 'file' });
  expect(await sourceOf([], { env })).toEqual({ value: 'http://environment.test', source: 'environment' });
  expect(await sourceOf(['--server', 'http://flag.test'], { env })).toEqual({
    value: 'http://flag.test',
    source: 'flag',
  });
});

test('profiles store servers separately', async () => {
  await using home = await openHome();
  await home.runHere(['profiles', 'add', 'work', 'https://work.test']);
  expect((await home.runHere(['config', 'get', 'server', '--profile', 'work'])).stdout).toBe('https://work.test\n');
  expect((await home.runHere(['config', 'get', 'server'])).stdout).toBe('http://127.0.0.1:8080\n');
  await home.runHere(['profiles', 'use', 'work']);
  expect((await home.runHere(['config', 'get', 'server'])).stdout).toBe('https://work.test\n');
  const env = { RECORDPROOF_CLI_PROFILE: 'default' };
  expect((await home.runHere(['config', 'get', 'server'], { env })).stdout).toBe('http://127.0.0.1:8080\n');
  expect(JSON.parse((await home.runHere(['profiles', 'list', '--json'])).stdout)).toEqual([
    { name: 'default', server: 'http://127.0.0.1:8080', inUse: false, hasSession: false },
    { name: 'work', server: 'https://work.test', inUse: true, hasSession: false },
  ]);
});

test('invalid changes to profiles are rejected with their exit codes', async () => {
  await using home = await openHome();
  await home.runHere(['profiles', 'add', 'work', 'https://work.test', '--use']);
  const inUse = await home.runHere(['profiles', 'remove', 'work']);
  expect(inUse.code).toBe(1);
  expect(inUse.stderr).toContain('recordproof profiles use default, and then: recordproof profiles remove work');
  expect(await home.runHere(['profiles', 'remove', 'default'])).toMatchObject({ code: 1 });
  expect(await home.runHere(['profiles', 'add', 'work', 'https://else.test'])).toMatchObject({ code: 1 });
  expect(await home.runHere(['profiles', 'use', 'constructor'])).toMatchObject({ code: 64 });
  expect(await home.runHere(['profiles', 'add', '../x', 'https://else.test'])).toMatchObject({ code: 64 });
  await home.runHere(['profiles', 'use', 'default']);
  expect(await home.runHere(['profiles', 'remove', 'work'])).toMatchObject({ code: 0 });
  expect((await home.runHere(['profiles', 'list'])).stdout).toBe('*  default  http://127.0.0.1:8080\n');
});

test('concurrent runs that change the settings lose no change', { tags: 'long' }, async () => {
  await using home = await openHome();
  const names = Array.from({ length: 8 }, (_none, index) => `p${index}`);
  const runs = await Promise.all(names.map(name => home.run(['profiles', 'add', name, `https://${name}.test`])));
  expect(runs.map(run => run.code)).toEqual(names.map(() => 0));
  const { profiles } = (await home.read('config.json')) as { profiles: Record<string, unknown> };
  expect(Object.keys(profiles).sort()).toEqual(['default', ...names]);
});
