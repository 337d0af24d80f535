import { toCompletion } from '@recordproof/shared/completion/from-help.ts';
import { expect, test } from 'vitest';
import { auditOptions } from './audit/audit-options.ts';
import { listHelps } from './completion-command.ts';
import { existenceOptions } from './existence/existence-options.ts';
import { gatewayOptions } from './gateway/gateway-options.ts';
import { certificateOptions, verifyOptions } from './options.ts';
import type { KnownOptions } from './shell/arguments.ts';
import { serveOptions } from './web/serve-command.ts';
import { witnessOptions } from './witness/witness-options.ts';

const { positions } = toCompletion('recordproof-verify', listHelps());

const commands: readonly (readonly [string, KnownOptions])[] = [
  ['', verifyOptions],
  ['verify', verifyOptions],
  ['certificate', { ...certificateOptions, items: 'value' }], // of a key retirement
  ['existence', existenceOptions],
  ['audit', auditOptions],
  ['serve', serveOptions],
  ['gateway', gatewayOptions],
  ['witness', witnessOptions],
];

test.each(commands)('"%s" is completed with the options that it takes, and with no other', (path, options) => {
  const flags = positions.find(position => position.path === path)?.flags ?? [];
  const known = Object.entries(options).map(([name, kind]) => [`--${name}`, kind !== 'switch']);
  expect(flags.map(({ word, takesValue }) => [word, takesValue]).toSorted()).toEqual(known.toSorted());
});

test('a file may stand where a command may', () => {
  const begin = positions.find(({ path }) => path === '');
  expect(begin?.takesFile).toBe(true);
  expect(begin?.next.map(({ word }) => word)).toEqual([
    'verify',
    'certificate',
    'existence',
    'audit',
    'serve',
    'page',
    'gateway',
    'witness',
    'completion',
  ]);
});
