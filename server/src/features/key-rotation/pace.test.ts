// @module-tag long-on-postgres
// Pace of a key rotation run: the configured rate, also with a late worker.
import { expect, test } from 'vitest';
import { eachApp } from '../../../../test/support/each-app.ts';
import { planRotation } from '../../../../test/support/rotation-world.ts';
import { workOnRun } from './work-run.ts';

const perMinute = 120;
const minuteMs = 60_000;

eachApp(start => {
  test('a run keeps its configured rate within 2 %, also if its worker is late', { tags: 'long' }, async () => {
    await using app = await start();
    const { server, database } = app.app;
    const policy = { max_items_per_minute: perMinute, batch_size: 50 };
    const { clock, config } = app;
    const planned = await planRotation(database, { folder: config.keysFolder, envelopes: 250, policy, clock });
    const signal = new AbortController().signal;
    for (let turn = 0; ; turn += 1) {
      const until = await workOnRun(server, planned, signal);
      if (until === null) break;
      clock.advance(Math.max(0, until - clock.now()) + (turn % 4) * 100);
    }
    const items = await database.db
      .selectFrom('key_rotation_item')
      .select(['status', 'updated_at'])
      .orderBy('updated_at')
      .execute();
    expect(items.map(item => item.status)).toEqual(items.map(() => 'SUCCEEDED'));
    const times = items.map(item => item.updated_at);
    const mostInOne = Math.max(...times.map(since => times.filter(at => at >= since && at < since + minuteMs).length));
    expect(mostInOne).toBeLessThanOrEqual(perMinute * 1.02);
    const took = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / minuteMs;
    expect((times.length - 1) / took).toBeGreaterThan(perMinute * 0.98);
  });
});
