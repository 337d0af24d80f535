// Completion generated from declared commands: offered words, and the script in a real bash.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flag, value } from '../command-line/command.ts';
import { toCompletion } from './from-commands.ts';
import { completionFor, shells } from './shells.ts';

const ink = value('NAME', 'black | red');
const json = flag('for programs');
const run = { path: 'run', summary: 'Print until it is told to stop', options: { ink, dry: flag('prints nothing') } };
const commands = [
  { ...run, path: '', takesFile: true },
  run,
  { path: 'queue list', summary: 'What waits', options: { json } },
  {
    path: 'queue drop',
    summary: 'Throw one away',
    options: { id: { ...value('N', 'which one'), asks: 'waiting' }, json },
  },
  { path: 'help', summary: 'Explain', words: [['ink', 'what it costs']] as const, options: {} },
];
const completion = toCompletion('press', commands);
const asking = toCompletion('press', commands, { passedOn: ['--ink'] });
const at = (path: string) => completion.positions.find(position => position.path === path);
const wordsAt = (path: string) => at(path)?.next.map(({ word }) => word);
const flagsAt = (path: string) => at(path)?.flags.map(({ word, takesValue }) => (takesValue ? `${word} …` : word));

test('declared commands and flags are offered, and nothing else', () => {
  expect(wordsAt('')).toEqual(['run', 'queue', 'help']);
  expect(flagsAt('')).toEqual(['--ink …', '--dry']);
  expect(wordsAt('queue')).toEqual(['list', 'drop']);
  expect(flagsAt('queue drop')).toEqual(['--id …', '--json']);
  expect(wordsAt('help')).toEqual(['ink']);
  expect(at('')?.takesFile).toBe(true);
  expect(at('')?.next[0]?.summary).toBe('Print until it is told to stop');
  expect(at('')?.flags[0]?.summary).toBe('black | red');
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

test('bash completes words, files where accepted, and flags', () => {
  expect(completeInBash('press', 'qu')).toEqual(['queue']);
  expect(completeInBash('press', 'from-commands.t')).toEqual(
    expect.arrayContaining(['from-commands.ts', 'from-commands.test.ts']),
  );
  expect(completeInBash('press', '--ink', 'red', 'queue', 'd')).toEqual(['drop']);
  expect(completeInBash('press', 'queue', 'drop', '--j')).toEqual(['--json']);
});

test('bash requests the values of a flag from the program, with the other flags of the line', () => {
  const program = 'press() { printf "%s\\n" "$@"; }';
  const line = `COMP_WORDS=(press --ink red queue drop --id ''); COMP_CWORD=6; _press; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${program}\n${completionFor.bash(asking)}\n${line}`;
  const bash = spawnSync('bash', ['--norc', '--noprofile', '-uc', script], { encoding: 'utf8' });
  expect(bash).toMatchObject({ stderr: '', stdout: 'completion\nvalues\nwaiting\n--ink\nred\n' });
});

test.each(shells)('the script for %s is accepted by its shell, where installed', async shell => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-completion-'));
  const script = join(folder, 'script'); // fish reads none from a socket
  await writeFile(script, completionFor[shell](completion) + completionFor[shell](asking));
  const check = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
  await rm(folder, { recursive: true });
  if (check.error === undefined) expect(check).toMatchObject({ status: 0, stderr: '' });
});

/** What fish offers after this line. */
async function completeInFish(line: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-completion-'));
  const script = join(folder, 'press.fish');
  await writeFile(script, completionFor.fish(completion));
  const ask = `source ${script}; complete --do-complete '${line}'`;
  const fish = spawnSync('fish', ['--no-config', '--command', ask], { encoding: 'utf8' });
  await rm(folder, { recursive: true });
  expect(fish.stderr).toBe('');
  return fish.stdout
    .split('\n')
    .filter(Boolean)
    .map(offer => offer.split('\t')[0] ?? '');
}

test.skipIf(spawnSync('fish', ['--version']).error !== undefined)('fish completes words and flags', async () => {
  expect(await completeInFish('press qu')).toContain('queue');
  expect(await completeInFish('press --ink red queue d')).toEqual(['drop']);
  expect(await completeInFish('press queue drop --j')).toEqual(['--json']);
});
