// @module-tag long-on-postgres
// Settings under `key.rotation`: the worker switch, delay and interval of polls, and tenants per poll.
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';

const minute = 60_000;

/** Begins a run by itself after a minute; there is nothing to move, so one run is enough. */
const everyMinute = {
  expectedProvider: 'local',
  expectedProviderContract: 1,
  expectedProviderKeyVersion: '1',
  targetLogicalKeyVersion: 1,
  scheduleEnabled: true,
  scheduleIntervalSeconds: 60,
};

const listRuns = async (root: Person) => (await root.call(api.listKeyRotations, { query: {} })).records;

async function passes(app: TestApp, milliseconds: number): Promise<void> {
  app.clock.advance(milliseconds);
  await app.drain();
}

eachApp(start => {
  test('without an enabled worker a run stays planned', async () => {
    await using app = await start({ env: { KEY_ROTATION_ENABLED: 'false' } });
    const root = await app.person('root', { role: 'admin' });
    expect(await root.call(api.putKeyRotationPolicy, { body: everyMinute })).toMatchObject({ workerEnabled: false });
    await root.call(api.startKeyRotation, { body: { mode: 'APPLY', requestId: 'one' } });
    await passes(app, 10 * minute);
    expect(await listRuns(root)).toMatchObject([{ requestId: 'one', status: 'PLANNED' }]);
  });

  test('the first poll runs after the initial delay, later polls after the poll interval', async () => {
    await using app = await start({
      env: {
        KEY_ROTATION_ENABLED: 'true',
        KEY_ROTATION_INITIAL_DELAY_MS: String(10 * minute),
        KEY_ROTATION_POLL_INTERVAL_MS: String(5 * minute),
      },
    });
    const root = await app.person('root', { role: 'admin' });
    await root.call(api.putKeyRotationPolicy, { body: everyMinute });
    const counts: number[] = [];
    for (const minutes of [9, 2, 2, 3]) {
      await passes(app, minutes * minute);
      counts.push((await listRuns(root)).length);
      if (minutes === 2)
        await root.call(api.putKeyRotationPolicy, { body: { ...everyMinute, batchSize: counts.length } });
    }
    expect(counts).toEqual([0, 1, 1, 2]);
  });

  test('a poll starts runs of at most the configured number of tenants, and the next poll continues', async () => {
    await using app = await start({
      env: {
        KEY_ROTATION_ENABLED: 'true',
        KEY_ROTATION_INITIAL_DELAY_MS: '0',
        KEY_ROTATION_POLL_INTERVAL_MS: String(minute),
        KEY_ROTATION_MAX_TENANTS_PER_POLL: '1',
      },
    });
    const near = await app.person('near', { role: 'admin' });
    const far = await app.person('far', { role: 'admin', tenant: 'elsewhere' });
    const hourly = { ...everyMinute, scheduleIntervalSeconds: 3600 };
    for (const person of [near, far]) await person.call(api.putKeyRotationPolicy, { body: hourly });
    const counts: number[] = [];
    for (const pause of [3600_000, minute, minute]) {
      await passes(app, pause);
      counts.push((await listRuns(near)).length + (await listRuns(far)).length);
    }
    expect(counts).toEqual([1, 2, 2]);
  });
});
