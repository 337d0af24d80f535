// Maintenance mode of two server processes on one PostgreSQL: a change on one applies to the next request on the other,
// through a reload of the settings, a kill and a start.
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { getMaintenance, setMaintenance } from '@recordproof/shared/api/maintenance.ts';
import { afterAll, expect, test } from 'vitest';
import { Person } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { generousRates } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { startServerProcess } from '../support/server-process.ts';
import { sendFile } from '../support/uploads.ts';

afterAll(stopPostgres);

const message = 'Back at 18:00 UTC.';
const password = 'correct horse battery';
const rejection = { status: 503, code: 40008, data: { detail: { message } } };

/** A server and its log; `hangUp` resolves once the settings were reloaded. */
async function startOne(folder: string, env: Readonly<Record<string, string>>) {
  const log = new PassThrough({ encoding: 'utf8' });
  const server = await startServerProcess({ folder, env, logLevel: 'info', onOutput: text => void log.write(text) });
  const hangUp = async () => {
    log.read();
    process.kill(server.pid, 'SIGHUP');
    for (let text = ''; !text.includes('no setting to reload has changed'); text += log.read() ?? '')
      if (log.readableLength === 0) await once(log, 'readable');
  };
  const signIn = async () => {
    const root = new Person('root', server.url);
    await root.login('root', password);
    return root;
  };
  return { server, hangUp, signIn };
}

test('a maintenance switch on one server makes both reject changes until it ends', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'recordproof-two-'));
  const env = {
    ...generousRates,
    DATABASE_URL: (await (await postgres()).freshDatabase()).url,
    RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true',
    RECORDPROOF_RESERVE_BYTES: '0',
    RECORDPROOF_ADMIN_USERNAME: 'root',
    RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
    RECORDPROOF_ADMIN_PASSWORD: password,
  };
  const one = await startOne(folder.path, env);
  await using _one = one.server;
  const two = await startOne(folder.path, env);
  await using _two = two.server;
  const [root, other] = [await one.signIn(), await two.signIn()];
  let seed = 0;
  const send = async (person: Person) => sendFile(person, await pattern(2000, ++seed), `${seed}.bin`);

  for (const [here, there] of [
    [root, other],
    [other, root],
  ] as const) {
    await here.call(setMaintenance, { body: { isOn: true, message } });
    expect(await send(there)).toMatchObject(rejection);
    expect(await there.call(getMaintenance)).toMatchObject({ isOn: true, message });
    await here.call(setMaintenance, { body: { isOn: false } });
    expect(await send(there)).toMatchObject({ status: 200 });
  }

  await root.call(setMaintenance, { body: { isOn: true, message } });
  await one.hangUp();
  await two.hangUp();
  expect([await send(root), await send(other)]).toMatchObject([rejection, rejection]);
  await two.server.kill();
  const again = await startOne(folder.path, env);
  await using _again = again.server;
  const back = await again.signIn();
  expect(await send(back)).toMatchObject(rejection);
  await back.call(setMaintenance, { body: { isOn: false } });
  expect([await send(root), await send(back)]).toMatchObject([{ status: 200 }, { status: 200 }]);
});
