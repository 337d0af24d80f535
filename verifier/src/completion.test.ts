import { type Options, value } from '@recordproof/shared/command-line/command.ts';
import { expect, test } from 'vitest';
import { auditDeclaration } from './audit/audit-options.ts';
import { readCompletion } from './commands.ts';
import { existenceDeclaration } from './existence/existence-options.ts';
import { gatewayDeclaration } from './gateway/gateway-options.ts';
import { receiptDeclaration } from './receipt/receipt-options.ts';
import { certificateDeclaration, verifyDeclaration } from './verify-options.ts';
import { serveDeclaration } from './web/serve-options.ts';
import { witnessDeclaration } from './witness/witness-options.ts';

const { positions } = readCompletion();

const commands: readonly (readonly [string, Options])[] = [
  ['', verifyDeclaration.options],
  ['verify', verifyDeclaration.options],
  ['certificate', { ...certificateDeclaration.options, items: value('FILE', '') }], // of a key retirement
  ['existence', existenceDeclaration.options],
  ['receipt', receiptDeclaration.options],
  ['audit', auditDeclaration.options],
  ['serve', serveDeclaration.options],
  ['gateway', gatewayDeclaration.options],
  ['witness', witnessDeclaration.options],
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
