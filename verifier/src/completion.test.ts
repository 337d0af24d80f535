// Completion of the verifier: each command is completed with exactly its own options.
import { type Options, value } from '@recordproof/shared/command-line/command.ts';
import { expect, test } from 'vitest';
import { otherDeclarations, readCompletion } from './commands.ts';
import { verifyDeclaration } from './verify-options.ts';

const { positions } = readCompletion();

/** The certificate of a key retirement has a form of its own. */
const further: Options = { items: value('FILE', '') };

const commands: readonly (readonly [string, Options])[] = [
  ['', verifyDeclaration.options],
  ['verify', verifyDeclaration.options],
  ...otherDeclarations.map(
    ({ path, options }) => [path, path === 'certificate' ? { ...options, ...further } : options] as const,
  ),
];

test.each(commands)('"%s" is completed with the options that it takes, and with no other', (path, options) => {
  const flags = positions.find(position => position.path === path)?.flags ?? [];
  const known = Object.entries(options).map(([name, { kind }]) => [`--${name}`, kind !== 'switch']);
  expect(flags.map(({ word, takesValue }) => [word, takesValue]).toSorted()).toEqual(known.toSorted());
});

test('a file may stand where a command may', () => {
  const begin = positions.find(({ path }) => path === '');
  expect(begin?.takesFile).toBe(true);
  expect(begin?.next.map(({ word }) => word)).toEqual([
    'verify',
    'certificate',
    'existence',
    'receipt',
    'audit',
    'serve',
    'page',
    'gateway',
    'witness',
    'completion',
  ]);
});
