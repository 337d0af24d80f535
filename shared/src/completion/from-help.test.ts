import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toCompletion } from './from-help.ts';
import { completionFor, shells } from './shells.ts';

const main = `press: prints papers

  press [run]             print until it is told to stop
  press queue list        what waits
  press FILE [options]

  --ink NAME     black | red        PRESS_INK   black
  --dry          prints nothing
"press COMMAND --help" tells more.
`;
const queue = `press queue: what waits

  queue drop --id N  throw one away
  --json             for programs
  printf %s red | press
`;
const completion = toCompletion('press', [
  { path: '', text: main, takesFile: true },
  { path: 'queue', text: queue },
  { path: 'queue move', text: `  --before N   another one\n${main}`, without: ['--dry'] },
]);
const asking = toCompletion(
  'press',
  [
    { path: 'queue', text: queue },
    { path: '', text: main },
  ],
  {
    asks: { '--id': 'waiting' },
    passedOn: ['--ink'],
  },
);
const at = (path: string) => completion.positions.find(position => position.path === path);
const wordsAt = (path: string) => at(path)?.next.map(({ word }) => word);
const flagsAt = (path: string) => at(path)?.flags.map(({ word, takesValue }) => (takesValue ? `${word} …` : word));

test('what the help names is offered, and nothing else', () => {
  expect(wordsAt('')).toEqual(['run', 'queue']);
  expect(flagsAt('')).toEqual(['--ink …', '--dry']);
  expect(wordsAt('queue')).toEqual(['list', 'drop', 'move']);
  expect(at('')?.next[0]?.summary).toBe('print until it is told to stop');
  expect(at('')?.flags[0]?.summary).toBe('black | red');
});

test('commands take what the command above them takes, and not what they are said not to', () => {
  expect(flagsAt('queue list')).toEqual(['--json']);
  expect(flagsAt('queue drop')).toEqual(['--id …', '--json']);
  expect(flagsAt('queue move')).toEqual(['--before …', '--ink …', '--json']);
});

/** What plain bash offers after this line. */
function completeInBash(...words: string[]): string[] {
  const line = words.map(word => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _press; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const bash = spawnSync('bash', ['--norc', '--noprofile', '-uc', `${completionFor.bash(completion)}\n${ask}`], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(bash.stderr).toBe('');
  return bash.stdout.split('\n').filter(Boolean);
}

test('bash completes words, files where one may stand, and flags', () => {
  expect(completeInBash('press', 'qu')).toEqual(['queue']);
  expect(completeInBash('press', 'from-help.t')).toEqual(expect.arrayContaining(['from-help.ts', 'from-help.test.ts']));
  expect(completeInBash('press', '--ink', 'red', 'queue', 'd')).toEqual(['drop']);
  expect(completeInBash('press', 'queue', 'drop', '--j')).toEqual(['--json']);
});

test('bash asks the program for the values of a flag, and tells it where to look', () => {
  const program = 'press() { printf "%s\\n" "$@"; }';
  const line = `COMP_WORDS=(press --ink red queue drop --id ''); COMP_CWORD=6; _press; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${program}\n${completionFor.bash(asking)}\n${line}`;
  const bash = spawnSync('bash', ['--norc', '--noprofile', '-uc', script], { encoding: 'utf8' });
  expect(bash).toMatchObject({ stderr: '', stdout: 'completion\nvalues\nwaiting\n--ink\nred\n' });
});

test.each(shells)('the script for %s is understood by it, where it is installed', async shell => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-completion-'));
  const script = join(folder, 'script'); // fish reads none from a socket
  await writeFile(script, completionFor[shell](completion) + completionFor[shell](asking));
  const check = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
  await rm(folder, { recursive: true });
  if (check.error === undefined) expect(check).toMatchObject({ status: 0, stderr: '' });
});
