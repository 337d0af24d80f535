// `SECONDS=600` for ten minutes of it. How long a normal client waits meanwhile is a figure of the bench `hostile-clients`.
import { expect, test } from 'vitest';
import { runHostile } from '../support/hostile-run.ts';

const seconds = Number(process.env.SECONDS ?? 30);

/** An idle process collects its garbage after a minute or two, however long it was busy before. */
const restSeconds = 150;

test(
  `${seconds} s of hostile clients cause no error, no memory growth and no failed request of a normal client`,
  async () => {
    const run = await runHostile({ seconds, clients: 4, restSeconds });
    console.log(JSON.stringify(run, null, 2));
    expect(run.errorLines).toEqual([]);
    expect(run.serverErrors).toBe(0);
    expect(run.normalCalls).toBeGreaterThan(0);
    expect(run.memoryMiB.after).toBeLessThanOrEqual(1.1 * run.memoryMiB.before);
  },
  (seconds + 540) * 1000,
);
