// Command lines shown to administrators: each parses as a command of the CLI; quoting of typed values.
import { readFile } from 'node:fs/promises';
import { runKinds, type ShownKind } from '@recordproof/shared/api/run-kinds.ts';
import { expect, test } from 'vitest';
import { adminCommands as commands } from './commands.ts';

const search = { username: "o'neil", module: 'auth', operation: 'login', rejected: true };

const shown = [
  ...commands.health(),
  ...commands.deadJob('JOB', '4'),
  ...commands.deadJob('EVENT', '4'),
  ...commands.storage(),
  ...commands.tenants(),
  ...commands.services(),
  ...commands.users('ada'),
  ...commands.newUser('', '', 'user'),
  ...commands.user('ada', true),
  ...commands.user('ada', false),
  ...commands.alerts('PENDING'),
  ...commands.alert('4'),
  ...Object.values<ShownKind>(runKinds).flatMap(({ runs: { feature }, starts = ['start'] }) =>
    [undefined, '4'].flatMap(runId => commands.runs(feature, starts, runId)),
  ),
  ...commands.audit(search),
  ...commands.auditRow('4'),
];

test('every command line shown to administrators exists', async () => {
  const guide = await readFile(new URL('../../../../../docs/guide/commands.md', import.meta.url), 'utf8');
  const known = [...guide.matchAll(/^## (recordproof admin .*)$/gm)].map(([, name = '']) => name);
  for (const line of shown)
    expect(
      known.some(name => line === name || line.startsWith(`${name} `)),
      line,
    ).toBe(true);
});

test('typed values are quoted as one argument', () => {
  const [line] = commands.audit(search);
  expect(line).toBe(
    `recordproof admin audit list --username 'o'\\''neil' --module auth --operation login --status error`,
  );
  expect(commands.users('$(ls) `ls`')).toEqual(["recordproof admin users list --keyword '$(ls) `ls`'"]);
});

test('a name that begins with a hyphen is not read as a flag', () => {
  expect(commands.newUser('--all', 'a@example.org', 'user')).toEqual([
    'recordproof admin users create --email a@example.org --role user -- --all',
  ]);
  expect(commands.users('-x')).toEqual(['recordproof admin users list --keyword=-x']);
  expect(commands.user('--all', true)).toEqual([
    'recordproof admin users suspend -- --all',
    'recordproof admin users role -- --all monitor',
    'recordproof admin users end-sessions -- --all',
    'recordproof admin users quota -- --all',
  ]);
});
