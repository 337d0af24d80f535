import { expect, test } from 'vitest';
import { runHostile } from '../support/hostile-run.ts';

test('clients that stall, break off, never end or speak no HTTP leave no error behind, and others are served', async () => {
  const run = await runHostile({ seconds: 8, clients: 2, restSeconds: 1 });
  expect(run.errorLines).toEqual([]);
  expect(run.serverErrors).toBe(0);
  expect(Object.values(run.acts).every(count => count > 0)).toBe(true);
});
