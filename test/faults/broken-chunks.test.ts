// `BROKEN_CHUNKS=10000` for as many on each database.
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { startApp } from '../support/app.ts';
import { openBrokenChunks, sendCorrect } from '../support/broken-chunks.ts';
import { engines } from '../support/engines.ts';

const count = Number(process.env.BROKEN_CHUNKS ?? 300);
const atOnce = 8;

/** PostgreSQL ends the transactions of a server that is idle for this long, as this process is at a load of 40. */
const standstillMs = 2000;
const outOfReach = 'part of the service is unavailable';

/** Whether a 503 with that message is caused by the machine: known at the end. */
function openStandstills() {
  const delays = monitorEventLoopDelay();
  delays.enable();
  const hasStood = (): boolean => delays.max / 1e6 > standstillMs * 0.9;
  return {
    isNone: (text: string): boolean => !(hasStood() && text.includes(outOfReach)),
    isExpected: (status: number | null): boolean =>
      status !== null && ((status >= 400 && status <= 499) || (status === 503 && hasStood())),
  };
}

/** Object files that this process holds open, including its threads. */
async function listOpenObjects(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map(name => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter(target => target.startsWith(folder));
}

for (const engine of engines) {
  test(
    `${engine}: ${count} broken chunks each get a response, affect no other account and leave no file open`,
    async () => {
      const errorLines: string[] = [];
      const log = pino({ level: 'error' }, { write: (line: string) => void errorLines.push(line) });
      const app = await startApp({ engine, log });
      const others = await Promise.all(['alice', 'bob', 'carol'].map(name => app.person(name)));
      const brokenChunks = await openBrokenChunks(await app.person('mallory'));
      const standstills = openStandstills();
      const done = new AbortController();
      const correct = Promise.all(others.map(person => sendCorrect(person, done.signal)));
      const ends: { number: number; status: number | null }[] = [];
      let next = 0;
      const sendBroken = async () => {
        while (next < count) {
          const number = next++;
          const { isCutOff, status } = await brokenChunks.send(number);
          if (!isCutOff) ends.push({ number, status });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, sendBroken));
      done.abort();
      const results = await correct;
      const objects = join(app.folder, 'objects');
      await vi.waitFor(async () => expect(await listOpenObjects(objects)).toEqual([]), { timeout: 60_000 });
      await brokenChunks[Symbol.asyncDispose]();
      expect(errorLines.filter(standstills.isNone)).toEqual([]); // first, because it names the causes
      expect(ends.filter(({ status }) => !standstills.isExpected(status))).toEqual([]);
      expect(results.flatMap(({ failed }) => failed).filter(standstills.isNone)).toEqual([]);
      console.log(
        `${engine}: ${count} broken chunks beside ${results.reduce((sum, { sent }) => sum + sent, 0)} correct`,
      );
      await app[Symbol.asyncDispose](); // returns: no request is pending
      expect(errorLines.filter(standstills.isNone)).toEqual([]);
    },
    600_000 + count * 1000,
  );
}
