// @module-tag long-on-postgres
// The scrub: every byte is read within its days, at its pace, and what is damaged is found.
import { readFile } from 'node:fs/promises';
import * as api from '@recordproof/shared/api/integrity.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import {
  chunkBytes,
  flipByte,
  listAlerts,
  objectOf,
  readManifest,
  type Stored,
} from '../../../../test/support/integrity-world.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { JobReschedule } from '../../platform/jobs/jobs.ts';
import { ObjectStoreError } from '../../platform/objects/object-store.ts';
import { scrubJob } from './scrub.ts';

const chunksEach = 15;
const dayMs = 86_400_000;
/** Half of the days and the rest of an hour, after which everything is due. */
const untilDue = 15 * dayMs + 3_600_000;
const bytesPerSecond = 1_048_576;
const scrubbing = {
  INTEGRITY_CHECK_ENABLED: 'false',
  INTEGRITY_SCRUB_BYTES_PER_SECOND: String(bytesPerSecond),
  RECORDPROOF_TOKEN_LIFETIME_SECONDS: '2592000',
};

const store = async (person: Person, seed: number, chunks = chunksEach): Promise<Stored> =>
  storeProxied(person, await pattern(chunks * chunkBytes - 7, seed), { chunkSize: chunkBytes });

const status = (root: Person) => root.call(api.getIntegrityScrub);

async function pass({ clock, drain }: TestApp, ms: number): Promise<void> {
  clock.advance(ms);
  await drain();
}

/** Until nothing is due any more; answers how many seconds of the clock that took. */
async function scrubAll(app: TestApp, root: Person): Promise<number> {
  for (let seconds = 0; seconds < 3600; seconds += 1) {
    if ((await status(root)).dueObjects === 0) return seconds;
    await pass(app, 1000);
  }
  throw new Error('the scrub does not come to an end');
}

/** The newest figure of a metric. */
async function readMetric(root: Person, series: string): Promise<number> {
  const text = await (await root.fetch('/actuator/prometheus')).text();
  return Number(
    text
      .split('\n')
      .find(line => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? Number.NaN,
  );
}

const damagedCount = (root: Person) => readMetric(root, 'app_integrity_scrub_objects_total{outcome="damaged"}');

/** Three hours behind the clock of a test: the app itself notes arrivals and reads nothing. */
const inThreeHours = (): string => {
  const hour = new Date(Date.UTC(2026, 0, 31, 12)).getHours();
  return `${(hour + 3) % 24}-${(hour + 4) % 24}`;
};

/** The scrub over the objects of the app, of which some fail. */
const failingJob = ({ app }: TestApp, fails: (path: string) => boolean) => {
  const { objects: store, config } = app.server;
  const integrity = { ...config.integrity, scrub: { ...config.integrity.scrub, hours: '0-24' } };
  const failing =
    <Rest extends unknown[], Answer>(ask: (path: string, ...rest: Rest) => Promise<Answer>) =>
    async (path: string, ...rest: Rest): Promise<Answer> => {
      if (fails(path)) throw new ObjectStoreError('DISK_FAILED', 'the disk of the object store failed with EIO');
      return ask(path, ...rest);
    };
  const objects = {
    ...store,
    backend: store.backend,
    findHead: failing(store.findHead.bind(store)),
    digest: failing(store.digest.bind(store)),
    readStart: failing(store.readStart.bind(store)),
  };
  return scrubJob({ ...app.server, objects, config: { ...config, integrity } }, { objectRead: () => {} });
};

/** Until nothing is due any more. */
async function runToEnd(job: ReturnType<typeof failingJob>): Promise<void> {
  for (let slices = 0; slices < 40; slices += 1) {
    const error = await job.run(aJob(new AbortController().signal)).catch((thrown: unknown) => thrown);
    if (error === undefined) return;
    if (!(error instanceof JobReschedule)) throw error;
  }
  throw new Error('the scrub makes no progress');
}

const aJob = (signal: AbortSignal) => ({
  id: 1,
  payload: {},
  attempt: 1,
  fence: 1,
  signal,
  keepLease: async () => {},
  assertFence: async () => {},
});

eachApp(start => {
  test('a pass finds every damaged chunk at its configured rate, and continues after a restart', {
    tags: 'long',
  }, async () => {
    await using app = await start({ env: scrubbing });
    const [alice, root] = [await app.person('alice'), await app.person('root', { role: 'admin' })];
    const files: Stored[] = [];
    for (let seed = 1; seed <= 20; seed += 1) files.push(await store(alice, seed));
    const damaged = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(nth => ({
      file: files[nth * 2],
      index: (nth * 7) % chunksEach,
    }));
    for (const { file, index } of damaged) if (file) await flipByte(await objectOf(app, file, index), 500 + index);
    await pass(app, 400_000);
    expect(await status(root)).toMatchObject({ objects: 300, dueObjects: 0, withinDays: 30, bytesPerSecond });

    await pass(app, untilDue);
    await pass(app, 300_000);
    const { dueObjects, dueBytes } = await status(root);
    expect(dueObjects).toBeLessThan(300);
    expect(dueObjects).toBeGreaterThan(300 - Math.ceil((2 * bytesPerSecond) / chunkBytes));
    await app.app[Symbol.asyncDispose]();

    const database = app.config.db.kind === 'postgres' ? { DATABASE_URL: app.config.db.url.reveal() } : {};
    await using next = await start({ folder: app.folder, clock: app.clock, env: { ...scrubbing, ...database } });
    const again = await next.person('second', { role: 'admin' });
    expect((await status(again)).dueObjects).toBe(dueObjects);
    await pass(next, 300_000);
    const seconds = await scrubAll(next, again);
    expect(seconds).toBeGreaterThan(dueBytes / bytesPerSecond - 5);
    const alerts = await listAlerts(again, { status: 'PENDING' });
    expect(new Set(alerts.map(({ fileId }) => fileId))).toEqual(new Set(damaged.map(({ file }) => file?.fileId)));
    expect(alerts.every(({ alertType }) => alertType === 'CONTENT_HASH_MISMATCH')).toBe(true);
    expect(await readMetric(again, 'app_integrity_alerts_unresolved')).toBe(10);
    expect(await readMetric(again, 'app_integrity_scrub_bytes_total')).toBeGreaterThan(dueBytes / 2);
    expect(await damagedCount(again)).toBeGreaterThan(0);
    expect(await scrubAll(next, again)).toBe(0);
  });

  test('a damaged object is repaired from another record with the same content', async () => {
    await using app = await start({ env: scrubbing });
    const [alice, root] = [await app.person('alice'), await app.person('root', { role: 'admin' })];
    const [first] = [await store(alice, 1, 3), await store(alice, 1, 3)];
    const path = await objectOf(app, first);
    const whole = await readFile(path);
    await flipByte(path, 5000);
    await pass(app, 400_000);
    await pass(app, untilDue);
    await pass(app, 300_000);
    await scrubAll(app, root);
    expect(await listAlerts(root)).toMatchObject([{ status: 'RESOLVED', resolution: 'REPAIRED' }]);
    expect((await readFile(path)).equals(whole)).toBe(true);
  });

  test('the scrub reads nothing outside its hours, and health reports when it is late', async () => {
    const hour = new Date(Date.UTC(2026, 0, 31, 12)).getHours();
    const hours = `${(hour + 6) % 24}-${(hour + 7) % 24}`;
    await using app = await start({ env: { ...scrubbing, INTEGRITY_SCRUB_HOURS: hours } });
    const [alice, root] = [await app.person('alice'), await app.person('root', { role: 'admin' })];
    await store(alice, 1, 3);
    const readHealth = async () => (await (await root.fetch('/actuator/health')).json()).components.scrub;
    await pass(app, 400_000);
    await pass(app, 29 * dayMs);
    expect((await status(root)).dueObjects).toBe(3);
    expect(await readHealth()).toMatchObject({ status: 'UP' });
    await pass(app, 2 * dayMs);
    root.token = (await app.person('another', { role: 'admin' })).token;
    expect(await readHealth()).toMatchObject({
      status: 'DEGRADED',
      details: { error: expect.stringContaining('late') },
    });
    expect(await readMetric(root, 'app_integrity_scrub_oldest_seconds')).toBeGreaterThan(30 * 86_400);
    await pass(app, 6.1 * 3_600_000);
    await scrubAll(app, root);
    app.clock.advance(2000);
    expect(await readHealth()).toMatchObject({ status: 'UP' });
  });

  test('an unavailable store is not damage, and its objects stay due', async () => {
    await using app = await start({ env: { ...scrubbing, INTEGRITY_SCRUB_HOURS: inThreeHours() } });
    const [alice, root] = [await app.person('alice'), await app.person('root', { role: 'admin' })];
    await store(alice, 1, 3);
    await pass(app, 400_000);
    app.clock.advance(untilDue);
    const job = failingJob(app, () => true);
    await expect(job.run(aJob(new AbortController().signal))).rejects.toThrow('60 s');
    expect(await status(root)).toMatchObject({ dueObjects: 3, unreadableObjects: 0 });
    expect(await listAlerts(root)).toEqual([]);
  });

  test('unreadable objects do not block others, are reported, and are retried', async () => {
    await using app = await start({ env: { ...scrubbing, INTEGRITY_SCRUB_HOURS: inThreeHours() } });
    const [alice, root] = [await app.person('alice'), await app.person('root', { role: 'admin' })];
    const [bad, good] = [await store(alice, 1, 20), await store(alice, 2, 5)];
    const { chunks } = await readManifest(app, bad);
    const unreadable = new Set(chunks.map(({ storagePath }) => storagePath));
    await flipByte(await objectOf(app, good, 3), 500);
    await pass(app, 400_000);
    app.clock.advance(untilDue);

    await runToEnd(failingJob(app, path => unreadable.has(path)));
    expect(await status(root)).toMatchObject({ dueObjects: 0, unreadableObjects: 20 });
    expect(await listAlerts(root)).toMatchObject([{ fileId: good.fileId, evidence: { chunk: 3 } }]);
    root.token = (await app.person('another', { role: 'admin' })).token;
    app.clock.advance(2000); // behind what the watch of health may have read meanwhile
    const { scrub } = (await (await root.fetch('/actuator/health')).json()).components;
    expect(scrub).toMatchObject({ status: 'DEGRADED', details: { unreadableObjects: 20 } });
    expect(scrub.details.error).toContain('cannot be read');
    expect(await readMetric(root, 'app_integrity_scrub_unreadable_objects')).toBe(20);

    await runToEnd(failingJob(app, path => unreadable.has(path)));
    app.clock.advance(7 * 3_600_000);
    await runToEnd(failingJob(app, () => false));
    expect(await status(root)).toMatchObject({ dueObjects: 0, unreadableObjects: 0 });
  });

  test('FULL reads every byte and finds what the sample of HEAVY misses', async () => {
    await using app = await start({ env: { INTEGRITY_CHECK_HEAVY_SAMPLE_CHUNKS: '0' } });
    const [alice, root] = [await app.person('alice'), await app.person('root', { role: 'admin' })];
    const file = await store(alice, 1);
    await flipByte(await objectOf(app, file, 11), 500);
    expect(await root.call(api.checkIntegrity, { body: { level: 'HEAVY' } })).toMatchObject({ mismatchesFound: 0 });
    expect(await root.call(api.checkIntegrity, { body: { level: 'FULL' } })).toMatchObject({ mismatchesFound: 1 });
    const [alert] = await listAlerts(root);
    expect(alert).toMatchObject({ alertType: 'CONTENT_HASH_MISMATCH', evidence: { chunk: 11 } });
  });
});
