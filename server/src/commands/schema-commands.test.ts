// The commands `migrate` and `upgrade --check` on a current, an older and a newer schema.
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { TestApp } from '../../../test/support/app.ts';
import { eachApp } from '../../../test/support/each-app.ts';
import { stopPostgres } from '../../../test/support/postgres.ts';
import { migrations } from '../compose/features.ts';
import { version } from '../version.ts';
import { runCommandLine } from './run.ts';

afterAll(stopPostgres);
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What a command prints, and its exit code. */
async function ask({ config, folder }: TestApp, ...command: string[]) {
  if (config.db.kind === 'postgres') vi.stubEnv('DATABASE_URL', config.db.url.reveal());
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await runCommandLine([...command, '--data', folder]);
    return { code, out: printed.mock.calls.map(([text]) => String(text)).join('') };
  } finally {
    printed.mockRestore();
    told.mockRestore();
  }
}

const asked = [
  ['migrate', 'status'],
  ['migrate', 'plan'],
  ['upgrade', '--check'],
] as const;

eachApp(start => {
  test('migrate and upgrade --check report a schema that is current, older or newer, and change nothing', async () => {
    await using app = await start();
    const { db } = app.app.database;
    const count = async () => (await db.selectFrom('schema_migration').select('name').execute()).length;

    expect(await ask(app, 'migrate', 'plan')).toMatchObject({ code: 0, out: 'nothing is pending\n' });
    const status = await ask(app, 'migrate', 'status');
    expect(status).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${migrations.length} steps taken, 0 pending`),
    });
    expect(await ask(app, 'upgrade', '--check')).toMatchObject({ code: 0, out: expect.stringContaining('up to date') });
    await db.updateTable('program_version').set({ version: '0.0.9' }).execute();
    const named = JSON.parse((await ask(app, 'upgrade', '--check', '--json')).out);
    expect(named).toMatchObject({
      version,
      installedVersion: '0.0.9',
      schema: { installed: expect.stringMatching(/^V2/), after: null },
    });
    expect((await ask(app, 'upgrade', '--check')).out).toMatch(
      /^installed {2}0\.0\.9 \(schema .*\)\nnew {8}\S+ \(schema /,
    );

    const last = 'V2.0.12 tables of stored objects';
    await db.deleteFrom('schema_migration').where('name', '=', last).execute();
    const plan = await ask(app, 'migrate', 'plan');
    expect(plan).toMatchObject({ code: 0, out: expect.stringContaining('create table stored_object') });
    const check = await ask(app, 'upgrade', '--check', '--json');
    expect(JSON.parse(check.out)).toMatchObject({ pending: [last], obstacles: [] });
    expect(check.code).toBe(0);
    expect(await count()).toBe(migrations.length - 1);

    const newer = { name: 'V9.0 of tomorrow', checksum: 'x', applied_at: 0 };
    await db.insertInto('schema_migration').values(newer).execute();
    for (const [name, action] of asked) expect(await ask(app, name, action), action).toMatchObject({ code: 1 });
    expect((await ask(app, 'upgrade', '--check')).out).toContain('written by a newer version');
  });
});
