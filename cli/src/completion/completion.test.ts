// Completion script for bash: sourced by a plain bash, it completes commands, values and flags.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installed } from '../../../test/support/installed.ts';
import { commandIds } from '../commands-by-id.ts';
import { openHome } from '../testing.ts';

/** The completions of plain bash after this line. */
async function completeInBash(...lines: string[][]): Promise<string[][]> {
  await using home = await openHome();
  const { stdout, code } = await home.runHere(['completion', 'bash']);
  expect(code).toBe(0);
  expect((await home.runHere(['profiles', 'add', 'work', 'https://proof.example.org'])).code).toBe(0);
  const { file, args } = installed.cli;
  const itself = `recordproof() { HOME='${home.path}' ${[file, ...args].map(word => `'${word}'`).join(' ')} "$@"; }`;
  const script = join(home.path, 'completion.bash');
  await writeFile(script, stdout);
  const ask = lines.map(words => {
    const quoted = words.map(word => `'${word}'`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _recordproof; echo "\${COMPREPLY[*]}"`;
  });
  const bash = spawnSync('bash', ['--norc', '--noprofile', '-uc', [`source ${script}`, itself, ...ask].join('\n')], {
    encoding: 'utf8',
  });
  expect(bash.stderr).toBe('');
  return bash.stdout
    .trimEnd()
    .split('\n')
    .map(line => line.split(' ').filter(Boolean));
}

test('the script for bash sources cleanly and completes commands, values and flags', { tags: 'long' }, async () => {
  const [first, topic, value, flag, after, free, named, flagged, alias] = await completeInBash(
    ['recordproof', 'log'],
    ['recordproof', 'config', ''],
    ['recordproof', '--profile', 'work', 'config', 'get', 's'],
    ['recordproof', 'login', '--pass'],
    ['recordproof', 'login', '--json', '--user'],
    ['recordproof', 'completion', ''],
    ['recordproof', 'profiles', 'use', 'w'],
    ['recordproof', 'whoami', '--profile', ''],
    ['recordproof', 'share', 're'],
  );
  expect(first).toEqual(['login', 'logout']);
  expect(topic).toEqual(['get', 'list', 'path', 'set', 'unset']);
  expect(value).toEqual(['server']);
  expect(flag).toEqual(['--password-stdin']);
  expect(after).toEqual(['--username']);
  expect(free).toEqual(['bash', 'zsh', 'fish', 'values']);
  expect(named).toEqual(['work']);
  expect(flagged).toEqual(['default', 'work']);
  expect(alias).toEqual(['revoke']);
});

test.each(['bash', 'zsh', 'fish'])('the script for %s contains every command', async shell => {
  await using home = await openHome();
  const { stdout } = await home.runHere(['completion', shell]);
  for (const id of commandIds) expect(stdout).toContain(id.split(':').at(-1));
});

test.each(['zsh', 'fish'])('the script for %s is accepted by its shell, where installed', async shell => {
  await using home = await openHome();
  const script = join(home.path, 'script');
  await writeFile(script, (await home.runHere(['completion', shell])).stdout);
  const check = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
  if (check.error === undefined) expect(check).toMatchObject({ status: 0, stderr: '' });
});
