// Limits on the flags of `admin key-rotation policy`, checked before a request is sent.
import { expect, test } from 'vitest';
import { openHome } from '../testing.ts';

test.each([
  ['--batch-size', '501', '500'],
  ['--attempts', '0', '1'],
  ['--lease', '9', '10'],
  ['--grace', '31536001', '31536000'],
])('%s %s is outside of the limits of the server, and rejected before it is asked', async (flag, value, limit) => {
  await using home = await openHome();
  const run = await home.runHere(['admin', 'key-rotation', 'policy', flag, value]);
  expect(run.code).toBe(64);
  expect(run.stderr).toContain(limit);
});
