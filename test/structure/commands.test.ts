import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referenceFile, writeReference } from '../../scripts/command-reference.ts';

test('the guide lists every command with its flags: npm run commands', async () => {
  expect(readFileSync(referenceFile, 'utf8')).toBe(await writeReference());
});
