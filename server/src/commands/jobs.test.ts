// @module-tag long-on-postgres
// The command beside a running server: as it is typed, where what it writes goes to a pipe, and else in this process.
import { expect, test, vi } from 'vitest';
import { startApp, type TestApp } from '../../../test/support/app.ts';
import { listAuditRows } from '../../../test/support/audit-rows.ts';
import { runServerCommand } from '../../../test/support/run-server-command.ts';
import { runCommand } from '../../../test/support/server-commands.ts';

vi.setConfig({ testTimeout: 300_000 });

const typed = (app: TestApp, ...args: readonly string[]) =>
  runServerCommand(['jobs', ...args, '--data', app.folder]).ended;

const jobs = (app: TestApp, ...args: readonly string[]) => runCommand(['jobs', ...args, '--data', app.folder], {});

const addDead = async ({ app, clock }: TestApp) => {
  const row = { kind: 'test.broken', payload: '{"uploadId":7}', state: 'DEAD' as const, attempt: 5, fence: 5 };
  const dead = { ...row, last_error: 'nobody there', created_at: clock.now() };
  return (await app.database.db.insertInto('job').values(dead).returning('id').executeTakeFirstOrThrow()).id;
};

test('dead jobs are listed, shown, revived and dropped on the command line, with audit entries', async () => {
  await using app = await startApp({ engine: 'sqlite' });
  const [first, second] = [await addDead(app), await addDead(app)];
  const list = await typed(app, 'list');
  expect(list.out).toContain(`${first}\ttest.broken\t5 attempts\t`);
  expect(JSON.parse((await jobs(app, 'show', '--id', String(first))).out)).toMatchObject({
    about: { uploadId: '7' },
  });
  expect(await jobs(app, 'revive', '--id', String(first))).toMatchObject({ code: 0, out: `${first} revived\n` });
  expect(await jobs(app, 'drop', '--id', String(second))).toMatchObject({ code: 0, out: `${second} dropped\n` });
  expect((await jobs(app, 'list')).out).toBe('');
  const twice = await jobs(app, 'show', '--id', String(first), '--id', String(second));
  expect(twice).toMatchObject({ code: 64, out: expect.stringContaining('--id is given twice') });
  expect(await jobs(app, 'drop', '--id', String(second))).toMatchObject({ code: 1 });
  const { db } = app.app.database;
  expect(await listAuditRows(db, { module: 'jobs' })).toMatchObject([
    { operation_type: 'revive', request_method: 'LOCAL' },
    { operation_type: 'drop', request_method: 'LOCAL' },
  ]);
});
