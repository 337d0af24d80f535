// Agreement of the commands, the help and the shell completion of the server program.
import { expect, test } from 'vitest';
import { findHelp, readCompletion } from './help.ts';
import { commandNames } from './run.ts';

const { positions } = readCompletion();
const at = (path: string) => positions.find(position => position.path === path);
const flagsAt = (path: string) => at(path)?.flags.map(({ word }) => word);

test('every command of the server is in its help and its completion', () => {
  expect(at('')?.next.map(({ word }) => word)).toEqual(expect.arrayContaining([...commandNames]));
  for (const name of commandNames) expect(flagsAt(name), name).toBeDefined();
});

test('the completed flags are those of the command and those that select the installation', () => {
  expect(flagsAt('keys retire')).toEqual([
    '--version',
    '--despite-grace',
    '--data',
    '--profile',
    '--config',
    '--log-level',
    '--json',
  ]);
  expect(flagsAt('jobs revive')).toEqual(expect.arrayContaining(['--id', '--data']));
  expect(flagsAt('serve')).toEqual(expect.arrayContaining(['--data', '--port']));
  expect(flagsAt('chain deploy')).toEqual(['--rpc-url', '--json']);
  expect(at('keys')?.next.map(({ word }) => word)).toContain('rotate-signing');
});

test('the help for a first word lists the commands that start with it, and no others', () => {
  const told = findHelp(['keys', '--help']);
  for (const word of ['trusted', 'rotate-signing', 'retire']) expect(told).toContain(`  keys ${word} `);
  expect(told).not.toContain('admin');
  expect(findHelp(['--help'])).toContain('  admin create ');
});
