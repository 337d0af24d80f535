// `SECONDS=600` for ten minutes of it.
import { expect, test } from 'vitest';
import { runHostile } from '../support/hostile-run.ts';

const seconds = Number(process.env.SECONDS ?? 30);

/** An idle process collects its garbage after a minute or two, however long it was busy before. */
const restSeconds = 150;

/** Below this a late answer cannot be told from two processors that are shared with the attackers. */
const leastMs = 12.5;

test(
  `${seconds} s of hostile clients cause no error, no memory growth and no delay`,
  async () => {
    const run = await runHostile({ seconds, clients: 4, restSeconds });
    console.log(JSON.stringify(run, null, 2));
    expect(run.errorLines).toEqual([]);
    expect(run.serverErrors).toBe(0);
    const { quiet, hostile, beside } = run.p99Ms;
    const busyMachine = Math.max(1, run.stretch); // on an idle one, about 1
    expect(hostile).toBeLessThanOrEqual(2 * Math.max(quiet, beside, leastMs) * busyMachine);
    expect(run.memoryMiB.after).toBeLessThanOrEqual(1.1 * run.memoryMiB.before);
  },
  (seconds + 540) * 1000,
);
