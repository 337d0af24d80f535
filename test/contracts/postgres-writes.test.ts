// A PostgreSQL that is reachable but rejects writes: as a standby after a failover, with a full disk, and with a
// statement timeout. No client gets an internal error, and reads continue.
import { listFiles } from '@recordproof/shared/api/files.ts';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { checkEverything } from '../support/check-everything.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { sendFile } from '../support/uploads.ts';

afterAll(stopPostgres);

async function startWithObserver() {
  const { url } = await (await postgres()).freshDatabase();
  const app = await startApp({ env: { DATABASE_URL: url } });
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  return { app, url, observer, alice: await app.person('alice') };
}

test('a read-only database rejects writes with a reason, and accepts them once it is writable', async () => {
  const { app, observer, alice } = await startWithObserver();
  await using _app = app;
  const letOnlyRead = async (value: 'on' | 'off') => {
    await observer.query(`alter database ${observer.database} set default_transaction_read_only = ${value}`);
    await observer.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  };
  const list = () => alice.call(listFiles, {}).then(({ total }) => total, String);
  expect(await sendFile(alice, await pattern(1000, 1))).toMatchObject({ status: 200 });
  await letOnlyRead('on');
  await expect.poll(list, { timeout: 30_000 }).toBe(1); // the first calls may get connections that are gone
  for (const size of [1000, 300_000]) {
    const { status, message } = await sendFile(alice, await pattern(size, 2));
    expect([status, message]).toEqual([503, expect.stringContaining('is read-only at the moment')]);
  }
  await letOnlyRead('off');
  await expect.poll(list, { timeout: 30_000 }).toBe(1);
  expect(await sendFile(alice, await pattern(1000, 3))).toMatchObject({ status: 200 });
  await observer.end();
  await app.drain();
  await checkEverything(app);
}, 120_000);

test('a statement cancelled while it waited is reported as an outage, not as an internal error', async () => {
  const { app, url, observer, alice } = await startWithObserver();
  await using _app = app;
  // The lock has a connection of its own: within one transaction pg_stat_activity is read once, and the observer would
  // never see a session that was opened after its first query.
  const locker = new pg.Client({ connectionString: url });
  await locker.connect();
  await locker.query('begin');
  await locker.query('lock table file in share mode');
  const sending = sendFile(alice, await pattern(1000, 1));
  const cancelled = async () => {
    const { rowCount } = await observer.query(
      "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rowCount !== null && rowCount > 0;
  };
  await expect.poll(cancelled, { timeout: 60_000 }).toBe(true);
  const { status, message } = await sending;
  expect([status, message]).toEqual([503, expect.stringContaining('check whether it took effect')]);
  await locker.end();
  await observer.end();
  await app.drain();
  await checkEverything(app);
}, 120_000);
