// Output of help and version: the start page, the help of one command, the example set-up code.
import { expect, test } from 'vitest';
import { commandIds, topics } from './commands-by-id.ts';
import { version } from './platform/version.ts';
import { openHome } from './testing.ts';

test('without arguments the program says what it can do', async () => {
  await using home = await openHome();
  const run = await home.run([]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  for (const id of commandIds) expect(run.stdout).toContain(`  ${id.split(':')[0]} `);
  const inOneLine = run.stdout.replace(/\s+/g, ' ');
  for (const [topic, description] of topics)
    if (!topic.includes(':')) expect(inOneLine).toContain(`${topic} ${description}`);
});

test('the help of a command has its usage, flags, global flags and examples', { tags: 'long' }, async () => {
  await using home = await openHome();
  const run = await home.run(['profiles', 'add', '--help']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('$ recordproof profiles add <name> <address> [flags]');
  for (const part of ['ARGUMENTS', '--use', 'GLOBAL FLAGS', '--server=<url>', 'EXAMPLES']) {
    expect(run.stdout).toContain(part);
  }
  expect((await home.run(['help', 'profiles', 'add'])).stdout).toBe(run.stdout);
});

test('the set-up code of the example looks like one that a server prints', async () => {
  await using home = await openHome();
  expect((await home.run(['setup', '--help'])).stdout).toMatch(/--code [0-9A-Za-z]{20} /);
});

test('the version is said, to scripts as JSON', async () => {
  await using home = await openHome();
  const said = expect.stringMatching(/^recordproof \d+\.\d+\.\d+( \(commit [0-9a-f]{12}(-changed)?\))?\n$/);
  expect(await home.run(['--version'])).toEqual({ code: 0, stdout: said, stderr: '' });
  expect(JSON.parse((await home.run(['--version', '--json'])).stdout)).toMatchObject({ version });
});
