import { expect, test } from 'vitest';
import { runHostile } from '../support/hostile-run.ts';

const seconds = Number(process.env.SECONDS ?? 600);

test(
  `${seconds} s of hostile clients leave no error, no memory and no wait behind`,
  async () => {
    const run = await runHostile({ seconds, clients: 4, restSeconds: 10 });
    console.log(JSON.stringify(run, null, 2));
    expect(run.errorLines).toEqual([]);
    expect(run.serverErrors).toBe(0);
    expect(run.p99Ms.hostile).toBeLessThanOrEqual(2 * run.p99Ms.quiet);
    expect(run.memoryMiB.after).toBeLessThanOrEqual(1.1 * run.memoryMiB.before);
  },
  (seconds + 240) * 1000,
);
