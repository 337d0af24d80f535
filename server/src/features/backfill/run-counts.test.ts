// Counts of finished backfill runs: stored with the run, equal to its items, and updated only by a retry.
import * as api from '@recordproof/shared/api/backfill.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import {
  importAll,
  kinds,
  listBackfillItems,
  makeLegacy,
  readBackfill,
  startBackfill,
} from '../../../../test/support/legacy-world.ts';
import { ChainError } from '../chain/index.ts';
import { failRun, findRun, type RunKey } from '../runs/index.ts';
import { backfills } from './backfills.ts';
import { countItems } from './item-queries.ts';
import { workOnRun } from './work-run.ts';

const env = { BACKFILL_WORKER_ENABLED: 'false', BACKFILL_CLAIM_SIZE: '4' };
const { signal } = new AbortController();

/** The server as one that works on runs, which it does not by itself. */
const toWorker = ({ app: { server } }: TestApp) => ({
  ...server,
  config: { ...server.config, backfill: { ...server.config.backfill, workerEnabled: true } },
});

async function begin(app: TestApp, count: number) {
  await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  await importAll(app, await makeLegacy(app, 'ada', count));
  const { runId } = await startBackfill(root, { mode: 'SCAN' });
  const { id: tenantId } = await app.app.database.db.selectFrom('tenant').select('id').executeTakeFirstOrThrow();
  const which: RunKey = { tenantId, runId: Number(runId) };
  return { root, run: { runId }, which };
}

const listed = async (root: Person) => (await root.call(api.listBackfills, { query: {} })).records;

/** As they stand in the row of the run, and as its items say. */
async function readBoth({ app }: TestApp, which: RunKey) {
  const run = await findRun(app.database.db, backfills, which);
  if (run === null) throw new Error('there is no such run');
  const kept = run.counts === null ? null : (JSON.parse(run.counts) as unknown[]);
  return { kept, counted: await countItems(app.database.db, run) };
}

eachApp(start => {
  test('the counts of a finished run are stored, and counted again once an item is retried', async () => {
    await using app = await start({ env });
    const { root, run, which } = await begin(app, Object.keys(kinds).length);
    const server = toWorker(app);
    const records = {
      ...server.records,
      findRecord: () => Promise.reject(new ChainError('UNREACHABLE', 'nobody answers')),
    };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await workOnRun({ ...server, records }, which, signal);
      app.clock.advance(60_000);
    }
    const ended = await readBackfill(root, run);
    expect(ended).toMatchObject({ status: 'SNAPSHOT_READY', remainingCount: 0, totalCount: Object.keys(kinds).length });
    expect(ended.failedCount).toBeGreaterThan(0);
    expect(await listed(root)).toEqual([ended]);
    const { kept, counted } = await readBoth(app, which);
    expect(kept).toEqual(expect.arrayContaining(counted));
    expect(kept).toHaveLength(counted.length);
    const [failed] = await listBackfillItems(root, run, { reason: 'CHAIN_UNAVAILABLE' });
    await root.call(api.retryBackfillItem, { params: { runId: run.runId, itemId: failed?.itemId ?? '' } });
    const again = { status: 'PLANNED', remainingCount: 1, failedCount: ended.failedCount - 1 };
    expect(await listed(root)).toMatchObject([again]);
    await workOnRun(server, which, signal);
    expect(await listed(root)).toMatchObject([{ ...again, status: 'SNAPSHOT_READY', remainingCount: 0 }]);
  });

  test('items under way when a run fails do not change its counts', async () => {
    await using app = await start({ env });
    const { root, run, which } = await begin(app, 12);
    const server = toWorker(app);
    const findRecord = server.records.findRecord.bind(server.records);
    let failures = 0;
    const records: typeof server.records = {
      ...server.records,
      findRecord: async hash => {
        failures += 1;
        await failRun(server, backfills, which, new Error('the disk is full'));
        return findRecord(hash);
      },
    };
    await workOnRun({ ...server, records }, which, signal);
    expect(failures).toBeGreaterThan(0);
    const ended = await readBackfill(root, run);
    expect(ended).toMatchObject({ status: 'FAILED', totalCount: 12, failure: expect.stringContaining('disk is full') });
    expect(ended.remainingCount).toBeGreaterThan(0);
    const { kept, counted } = await readBoth(app, which);
    expect(kept).toEqual(expect.arrayContaining(counted));
    expect(kept).toHaveLength(counted.length);
    await workOnRun(server, which, signal);
    expect(await listed(root)).toEqual([ended]);
    const rows = await app.app.database.db.selectFrom('audit_log').select('id').where('operation_type', '=', 'end-run');
    expect(await rows.execute()).toHaveLength(1);
  });
});
