// A move to PostgreSQL and a bucket that is killed at random times, and started again each time. In the end the target
// has the same rows and objects as the source, and one installation continues there. FILES=20000 KILLS=4 is a long
// form.
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { Person, startApp, type TestApp } from '../support/app.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { checkEverything } from '../support/check-everything.ts';
import { fillInstallation, fullSettings } from '../support/full-installation.ts';
import { startPostgres } from '../support/postgres.ts';
import { type Ended, runServerCommand } from '../support/run-server-command.ts';
import { s3Settings, stopS3 } from '../support/s3-settings.ts';
import { sendMany, storeProxied } from '../support/uploads.ts';

const kills = Number(process.env.KILLS ?? 20);
const files = Number(process.env.FILES ?? 200);
const filesEach = 100;
const whyNot = whyNoCeph();

type Env = Readonly<Record<string, string>>;
type Tables = readonly { readonly table: string; readonly rows: number; readonly sha256: string }[];

const start = (folder: string, env: Env) => runServerCommand(['migrate', 'move', '--data', folder, '--json'], env);

/** Kills it at a random time of its usual duration. Returns its result if it was faster. */
async function killOnce(folder: string, env: Env, longestMs: number): Promise<Ended | null> {
  const { child, ended } = start(folder, env);
  const isOver = await Promise.race([ended.then(() => true), pass(randomInt(0, longestMs), false)]);
  child.kill('SIGKILL');
  const end = await ended;
  return isOver ? end : null;
}

const toTables = ({ out }: Ended): Tables =>
  out === '' ? [] : ((JSON.parse(out) as { database?: { tables: Tables } }).database?.tables ?? []);

async function fill(folder: string): Promise<Pick<TestApp, 'clock'> & { readonly token: string }> {
  await using app = await startApp({ engine: 'sqlite', folder, env: fullSettings });
  const { alice } = await fillInstallation(app);
  for (let batch = 0; batch < files / filesEach; batch += 1)
    await sendMany(
      alice,
      Array.from({ length: filesEach }, (_, index) => ({ bytes: Buffer.from(`${batch} ${index}`) })),
    );
  await app.drain();
  return { clock: app.clock, token: alice.token ?? '' };
}

describe.skipIf(whyNot !== null)(`moves that are killed${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  afterAll(stopS3);

  test('a move that is killed repeatedly ends with the same rows and objects', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recordproof-moving-'));
    await using database = await startPostgres();
    const { clock, token } = await fill(folder);
    const newTarget = async () => ({ DATABASE_URL: (await database.freshDatabase()).url, ...(await s3Settings()) });
    const mark = join(folder, 'moved.json');

    const before = performance.now();
    const undisturbed = await start(folder, await newTarget()).ended;
    expect(undisturbed, undisturbed.err).toMatchObject({ code: 0 });
    const longestMs = Math.ceil(performance.now() - before);
    const wanted = toTables(undisturbed);

    for (let killed = 0; killed < kills; ) {
      await rm(mark); // as if it had never moved: it is still the source
      const env = await newTarget();
      let ended = await killOnce(folder, env, longestMs);
      for (; ended === null; ended = await killOnce(folder, env, longestMs)) killed += 1;
      // It may also have been killed after its last line, before its exit.
      if (!ended.err.includes('nothing more in')) expect(ended, ended.err).toMatchObject({ code: 0 });
      const tables = toTables(ended);
      if (tables.length > 0) expect(tables).toEqual(wanted); // none when only the last line was left to be written
      await using app = await startApp({ engine: 'sqlite', folder, clock, env: { ...fullSettings, ...env } });
      const told = app.app.database.db.selectFrom('audit_log').select('id').where('operation_type', '=', 'migrate');
      expect(await told.execute()).toHaveLength(1);
      await storeProxied(new Person('alice', app.app.url, token), Buffer.from(`after ${killed} kills`));
      await app.drain();
      await checkEverything(app);
    }
    await rm(folder, { recursive: true, force: true });
  });
});
