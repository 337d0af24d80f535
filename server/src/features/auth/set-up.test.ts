// The first administrator where several servers share one database.
import * as api from '@recordproof/shared/api/auth.ts';
import { afterAll, expect, test } from 'vitest';
import { startApp, testPassword } from '../../../../test/support/app.ts';
import { engines } from '../../../../test/support/engines.ts';
import { postgres, stopPostgres } from '../../../../test/support/postgres.ts';
import { localOrigin } from '../../platform/call.ts';
import { Passwords } from '../../platform/crypto/passwords.ts';
import { openServerKeys } from '../../platform/crypto/server-keys.ts';
import { addFreshSetupCode, hasAdministrator, setUp } from './set-up.ts';

afterAll(stopPostgres);

// On PostgreSQL in any case: once is enough.
test.runIf(engines.includes('postgres'))(
  'every server on one database prints a valid set-up code, and using one invalidates all',
  async () => {
    const shared = await (await postgres()).freshDatabase();
    await using closing = new AsyncDisposableStack();
    closing.defer(() => shared.drop());
    const env = { DATABASE_URL: shared.url, RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true' };
    const first = closing.use(await startApp({ env }));
    const second = closing.use(await startApp({ env, folder: first.folder }));
    const body = { username: 'root', email: 'root@example.org', password: testPassword };
    await first.anonymous.call(api.setUp, { body: { ...body, setupCode: first.app.setupCode ?? '' } });
    const late = { ...body, username: 'late', email: 'late@example.org', setupCode: second.app.setupCode ?? '' };
    expect(await second.anonymous.expectError(api.setUp, { body: late })).toMatchObject({ kind: 'CONFLICT' });
    const left = await first.app.database.db.selectFrom('setup_code').selectAll().execute();
    expect(left).toEqual([]);
  },
);

test('only the newest ten set-up codes are valid', async () => {
  await using app = await startApp();
  await using passwords = new Passwords();
  const server = {
    passwords,
    database: app.app.database,
    clock: app.clock,
    keys: openServerKeys(app.config.keysFolder, { create: false }),
  };
  expect(await hasAdministrator(app.app.database)).toBe(false);
  const codes: string[] = [];
  for (let start = 0; start < 11; start++) codes.push((await addFreshSetupCode(server)) ?? '');
  const body = { username: 'root', email: 'root@example.org', password: testPassword };
  const use = (setupCode = '') => setUp(server, localOrigin('test', 0), { ...body, setupCode });
  await expect(use(codes[0])).rejects.toMatchObject({ kind: 'AUTH_CODE_ERROR' });
  expect(await use(codes[1])).toMatchObject({ username: 'root', role: 'admin' });
  expect(await hasAdministrator(app.app.database)).toBe(true);
  expect(await addFreshSetupCode(server)).toBeNull();
});
