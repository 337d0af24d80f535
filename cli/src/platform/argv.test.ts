// Parsing of the command line: words of commands, aliases, flags, help and suggestions for mistyped commands.
import { expect, test } from 'vitest';
import { aliases, commandIds, loadAllCommands } from '../commands-by-id.ts';
import { parseRequest, valueFlags } from './argv.ts';
import { globalFlags } from './global-flags.ts';

const parse = (line: string) => parseRequest(line.split(' ').filter(Boolean), { ids: commandIds, aliases });

test('the longest known words are the command, and the rest are its arguments', () => {
  expect(parse('config get server --json')).toEqual({ kind: 'command', id: 'config:get', argv: ['server', '--json'] });
  expect(parse('config:get server')).toEqual({ kind: 'command', id: 'config:get', argv: ['server'] });
});

test('a command of one word keeps its flags', () => {
  expect(parse('whoami --json')).toEqual({ kind: 'command', id: 'whoami', argv: ['--json'] });
});

test('an alias of a topic runs the same commands', () => {
  expect(parse('share get x')).toEqual({ kind: 'command', id: 'shares:get', argv: ['x'] });
  expect(parse('help share get')).toEqual({ kind: 'help', words: ['shares', 'get'] });
  expect(parse('share')).toEqual({ kind: 'help', words: ['shares'] });
});

test('flags are accepted before the command', () => {
  const argv = ['--server', 'http://x', '--json'];
  expect(parse('--server http://x --json whoami')).toEqual({ kind: 'command', id: 'whoami', argv });
});

test.each(['', '--json', 'config', 'help config', 'config --help', 'config -h'])('"%s" shows help', line => {
  expect(parse(line).kind).toBe('help');
});

test('help of a command is shown for its name', () => {
  expect(parse('help config get')).toEqual({ kind: 'help', words: ['config', 'get'] });
  expect(parse('config get server --help')).toEqual({ kind: 'help', words: ['config', 'get'] });
});

test('verify with --help shows help, except with a file', () => {
  expect(parse('verify --json --help')).toEqual({ kind: 'help', words: ['verify'] });
  expect(parse('verify --file --help')).toMatchObject({ kind: 'command' });
  expect(parse('verify report.pdf --help')).toMatchObject({ kind: 'command' });
});

test('words after -- are not read as flags', () => {
  expect(parse('config get -- --help')).toMatchObject({ kind: 'command' });
});

test('a misspelled command gets a suggestion, and an unknown one gets none', () => {
  expect(parse('logn')).toMatchObject({ kind: 'unknown', suggestion: 'login' });
  expect(parse('profiles lst')).toMatchObject({ kind: 'unknown', suggestion: 'profiles list' });
  expect(parse('shar')).toMatchObject({ kind: 'unknown', suggestion: 'shares' });
  expect(parse('frends list')).toMatchObject({ kind: 'unknown', suggestion: 'friends list' });
  expect(parse('admin tickts list')).toMatchObject({ kind: 'unknown', suggestion: 'admin tickets list' });
  expect(parse('admin friends list')).toMatchObject({ kind: 'unknown', suggestion: 'friends list' });
  expect(parse('admin share list')).toMatchObject({ kind: 'unknown', suggestion: 'admin shares list' });
  expect(parse('admin nonsense')).toMatchObject({ kind: 'unknown', suggestion: 'admin' });
  expect(parse('xyzzy')).toMatchObject({ kind: 'unknown', suggestion: undefined });
});

test('the list of flags with a value matches the global flags', () => {
  const valued = Object.entries(globalFlags).filter(([, flag]) => flag.type === 'option');
  expect(valued.map(([name]) => `--${name}`).sort()).toEqual([...valueFlags].sort());
});

test('every command has a summary and an example, and does not redefine a global flag', async () => {
  for (const command of await loadAllCommands()) {
    expect(command.summary, command.id).toMatch(/^[A-Z].*[^.]$/);
    const examples = command.examples as { command: string }[];
    expect(examples[0]?.command, command.id).toContain(command.id.replaceAll(':', ' '));
    for (const name of Object.keys(globalFlags)) expect(Object.keys(command.flags), command.id).not.toContain(name);
  }
});
