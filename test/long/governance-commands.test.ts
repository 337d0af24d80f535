// Journeys of an administrator with integrity, backfill and sweep commands, against a real server.
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { saveSharedFiles } from '@recordproof/shared/api/share-access.ts';
import { expect, test } from 'vitest';
import { type Ended, openHome } from '../../cli/src/testing.ts';
import { startApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { fileBytes, flipByte, objectOf, type Stored } from '../support/integrity-world.ts';
import { importAll, kinds, makeLegacy } from '../support/legacy-world.ts';
import { leaveOrphan } from '../support/orphans.ts';
import { testWith } from '../support/programs.ts';
import { share } from '../support/shares.ts';
import { storeProxied } from '../support/uploads.ts';

async function open(env: Readonly<Record<string, string>>) {
  const app = await startApp({ env });
  const home = await openHome(app.app);
  const root = await app.person('root', { role: 'admin' });
  const token = { env: { RECORDPROOF_TOKEN: root.token ?? '' } };
  const run = (line: string): Promise<Ended> => home.run(['admin', ...line.split(' ')], token);
  const ok = async (line: string): Promise<string> => {
    const ended = await run(line);
    expect(ended, line).toMatchObject({ code: 0 });
    return ended.stdout;
  };
  return {
    ...{ app, home, root, run, ok, token },
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

test('damage is found, acknowledged, and repaired from a record, stored objects, and the file itself', async () => {
  await using world = await open({ INTEGRITY_CHECK_HEAVY_SAMPLE_CHUNKS: '10000' });
  const { app, home, run, ok } = world;
  const [alice, bob] = [await app.person('alice'), await app.person('bob')];
  const [shared, lonely] = [await pattern(fileBytes, 1), await pattern(fileBytes, 2)];
  const store = (person: typeof alice, bytes: Uint8Array): Promise<Stored> =>
    storeProxied(person, bytes, { chunkSize: 20_000 });
  const [first, second] = [await store(alice, shared), await store(alice, lonely)];
  await store(bob, shared);
  /** Exits with another code, for scripts. */
  const check = async (found: number): Promise<void> => {
    const { code, stdout } = await run('integrity check');
    expect(stdout).toMatch(new RegExp(`^files +\\d+\nmismatches +${found}\nerrors +0$`, 'm'));
    expect(code).toBe(1);
  };
  const hurt = async (file: Stored) => flipByte(await objectOf(app, file), 700);
  const backup = join(home.path, 'backup');
  await mkdir(join(backup, 'deep'), { recursive: true });
  await copyFile(await objectOf(app, second), join(backup, 'deep', 'object'));

  expect(await ok('integrity alerts')).toBe('');
  await hurt(first);
  expect(await ok('integrity check --level MEDIUM')).toMatch(/mismatches +0\n/);
  await check(1);
  expect(await ok('integrity alerts --status PENDING')).toMatch(/^1 .*CONTENT_HASH_MISMATCH/m);
  expect(await ok('integrity ack 1')).toContain('ACKNOWLEDGED');
  expect((await run('integrity ack 1')).stderr).toContain('cannot be acknowledged');
  expect(await ok('integrity repair 1 --yes')).toMatch(/RESOLVED[\s\S]*1 chunk from file \d+/);

  await hurt(second);
  await check(1);
  expect(await run('integrity repair 2 --yes')).toMatchObject({ code: 1 });
  expect(await ok('integrity repair 2 --yes --from backup')).toMatch(/RESOLVED\nrepaired chunks +1\n/);

  await rm(backup, { recursive: true });
  await mkdir(backup);
  await writeFile(join(backup, 'under whatever name'), lonely);
  const { shareCode: code } = await share(alice, second.fileHash);
  await bob.call(saveSharedFiles, { params: { code } });
  await hurt(second);
  await check(2);
  await ok('integrity repair 3 --yes --from backup');
  const { records } = JSON.parse(await ok('integrity alerts --json')) as { records: { status: string }[] };
  expect(records.map(({ status }) => status)).toEqual(['RESOLVED', 'RESOLVED', 'RESOLVED', 'RESOLVED']);

  await app.app.database.db.deleteFrom('manifest').where('file_id', '=', Number(first.fileId)).execute();
  expect(await run(`integrity check --file ${first.fileId}`)).toMatchObject({ code: 1 });
  expect((await run('integrity repair 5 --yes')).stderr).toContain('bytes cannot repair MANIFEST_MISSING');
  expect(await ok('integrity show 5')).toContain('backup of the database');
  expect(await ok('integrity resolve 5 --yes --note restored')).toContain('restored');
});

testWith('script')('the screens of a healthy server report no problem, and q leaves them', async () => {
  await using world = await open({});
  const { home, token } = world;
  const leave = (topic: string) => home.type(['admin', topic, 'watch'], [['q leave', 'q']], token);
  expect(await leave('integrity')).toMatchObject({ code: 0, stdout: expect.stringContaining('no open alert') });
  expect(await leave('sweep')).toMatchObject({ code: 0, stdout: expect.stringContaining('none yet') });
  const nothing = await home.type(['admin', 'backfill', 'watch'], [], token);
  expect(nothing.code).not.toBe(0);
  expect(nothing.stdout).toContain('there is no run yet');
});

test('legacy records are scanned, tested in a dry run and applied', async () => {
  await using world = await open({ BACKFILL_APPLY_ENABLED: 'true' });
  const { app, run, ok } = world;
  await app.person('ada');
  const count = Object.keys(kinds).length;
  await importAll(app, await makeLegacy(app, 'ada', count));
  const work = async (line: string): Promise<void> => {
    await ok(`backfill ${line}`);
    await app.drain();
  };
  await work('scan');
  const status = await ok('backfill status');
  expect(status).toContain('SNAPSHOT_READY');
  for (const reason of Object.keys(kinds)) expect(status).toContain(reason);
  expect(await ok('backfill items --reason OBJECT_MISSING')).toMatch(/OBJECT_MISSING/);
  await work('dry-run');
  await work('apply --yes');
  expect(await ok('backfill status')).toMatch(/mode +APPLY\nstatus +COMPLETED\n/);
  expect(await ok('backfill watch')).toContain('COMPLETED');
  expect((await ok('backfill list')).trimEnd().split('\n')).toHaveLength(4);
  expect((await run('backfill pause')).stderr).toMatch(/error: /);
  expect((await run('backfill retry 3 1')).stderr).toMatch(/error: /);
});

test('unreferenced objects are counted, listed, marked and deleted', async () => {
  await using world = await open({
    SWEEP_MARK_ENABLED: 'true',
    SWEEP_DELETE_ENABLED: 'true',
    SWEEP_PROTECTION_WINDOW_DAYS: '0',
  });
  const { app, run, ok } = world;
  const alice = await app.person('alice');
  await storeProxied(alice, await pattern(5000, 1));
  const { id } = await app.app.database.db.selectFrom('tenant').select('id').executeTakeFirstOrThrow();
  const { storagePath } = await leaveOrphan(app.app.server.objects, id);
  expect((await run('sweep mark --all --yes')).stderr).toContain('census');
  const takeCensus = async (): Promise<string> => {
    await ok('sweep census --no-wait');
    await app.drain();
    return ok('sweep status');
  };
  expect(await takeCensus()).toMatch(/COMPLETED[\s\S]*candidates +1 objects/);
  expect(await ok('sweep candidates --wide')).toContain(storagePath);
  await ok('sweep mark --all --yes');
  app.clock.advance(3600_000);
  await app.drain();
  expect(await ok('sweep marks --state DELETED --wide')).toContain(storagePath);
  expect(await takeCensus()).toMatch(/candidates +0 objects[\s\S]*1 deleted/);
  expect(await ok('sweep unknown-holds')).toBe('');
});
