// Choices of flags in any case, after a space or an equals sign.
import { option, string } from '@oclif/core/flags';
import { expect, test } from 'vitest';
import { inAnyCase } from './any-case.ts';

const flags = { status: option({ options: ['ACTIVE', 'SUSPENDED'] as const })(), keyword: string() };

test('a choice is matched in any case, after its flag and after an equals sign', () => {
  expect(inAnyCase(['--status', 'suspended'], flags)).toEqual(['--status', 'SUSPENDED']);
  expect(inAnyCase(['--status=Active'], flags)).toEqual(['--status=ACTIVE']);
});

test('all other words stay unchanged', () => {
  const typed = [
    'active',
    '--keyword',
    'suspended',
    '--keyword=active',
    '--status',
    'gone',
    '--',
    '--status',
    'active',
  ];
  expect(inAnyCase(typed, flags)).toEqual(typed);
});
