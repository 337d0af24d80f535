// Moves of a whole installation out of its data folder: to PostgreSQL, to a bucket, to both, and in two steps.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { completeUploadSession } from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../server/src/config/config.ts';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import { SqliteRows } from '../../server/src/platform/db/sqlite-rows.ts';
import type { Db } from '../../server/src/platform/db/tables.ts';
import { markMoving } from '../../server/src/platform/move-mark.ts';
import { Person, startApp, type TestApp } from '../support/app.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { checkEverything } from '../support/check-everything.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { type FullInstallation, fillInstallation, fullSettings } from '../support/full-installation.ts';
import { objectOf } from '../support/integrity-world.ts';
import { postgres, runSql, stopPostgres } from '../support/postgres.ts';
import { exportProof, verifyOnline } from '../support/real-proofs.ts';
import { type Ended, runServerCommand } from '../support/run-server-command.ts';
import { s3Settings, stopS3 } from '../support/s3-settings.ts';
import { fetchShared } from '../support/shares.ts';
import { storeProxied } from '../support/uploads.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const whyNot = whyNoCeph();
const cleaners: (() => Promise<unknown>)[] = [];

type Env = Readonly<Record<string, string>>;

async function newDatabase(): Promise<Env> {
  const database = await (await postgres()).freshDatabase();
  cleaners.push(() => database.drop());
  return { DATABASE_URL: database.url };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-move-'));
  cleaners.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Left = { readonly folder: string; readonly full: FullInstallation; readonly clock: TestApp['clock'] };

/** An installation with data of every kind, and a stopped server. */
async function leaveInstallation(): Promise<Left> {
  const folder = await newFolder();
  await using app = await startApp({ engine: 'sqlite', folder, env: fullSettings });
  return { folder, full: await fillInstallation(app), clock: app.clock };
}

const move = (folder: string, env: Env, ...more: string[]): Promise<Ended> =>
  runServerCommand(['migrate', 'move', '--data', folder, '--json', ...more], env).ended;

const startThere = ({ folder, clock }: Left, env: Env): Promise<TestApp> =>
  startApp({ engine: 'sqlite', folder, clock, env: { ...fullSettings, ...env } });

/** All that must not change: the database, and each object. */
async function digestSource(folder: string): Promise<Record<string, string>> {
  const names = await readdir(join(folder, 'objects', 'objects'), { recursive: true, withFileTypes: true });
  const objects = names.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const digests: Record<string, string> = {};
  for (const path of [join(folder, 'recordproof.db'), ...objects.sort()])
    digests[path] = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  return digests;
}

/** All data is present, earlier proofs hold, and it continues as one installation. */
async function checkMoved(app: TestApp, full: FullInstallation, moves = 1): Promise<void> {
  const { alice: before, files, shareCode, proof, unfinished } = full;
  app.clock.advance(60_000); // the key rotation continues from its last state
  await app.drain();
  await checkEverything(app);
  const alice = new Person('alice', app.app.url, before.token);
  for (const [hash, bytes] of files) expect(await read(alice, hash)).toEqual(bytes);
  const anonymous = new Person('nobody', app.app.url);
  const [shared = ''] = files.keys();
  expect((await fetchShared(anonymous, shareCode, shared)).status).toBe(200);
  expect((await exportProof(alice, proof.fileId)).equals(proof.archive)).toBe(true);
  expect(await judge(app, proof)).toBe('VALID');
  const { db } = app.app.database;
  const batches = () => db.selectFrom('attestation_batch').select('id').orderBy('id').execute();
  const known = await batches();
  const bytes = Buffer.from('stored after the move');
  const { fileId } = await storeProxied(alice, bytes);
  await alice.call(completeUploadSession, { params: { clientId: unfinished } });
  await app.drain();
  const archive = await exportProof(alice, fileId);
  expect(await judge(app, { archive, original: bytes })).toBe('VALID');
  expect(known.length).toBeGreaterThan(0);
  expect((await batches()).slice(0, known.length)).toEqual(known);
  expect((await batches()).at(-1)?.id).toBeGreaterThan(known.at(-1)?.id ?? 0);
  expect(await db.selectFrom('integrity_alert').select('id').execute()).not.toEqual([]);
  expect(await db.selectFrom('key_rotation_run').select('status').execute()).toEqual([{ status: 'COMPLETED' }]);
  const told = db.selectFrom('audit_log').select('id').where('operation_type', '=', 'migrate');
  expect(await told.execute()).toHaveLength(moves);
  await checkEverything(app);
}

async function judge(app: TestApp, proof: Pick<FullInstallation['proof'], 'archive' | 'original'>): Promise<string> {
  const { outcome, checks } = await verifyOnline({ app, ...proof });
  return [outcome, ...checks.filter(({ status }) => status !== 'PASS').map(({ code }) => code)].join(' ');
}

async function read(person: Person, fileHash: string): Promise<Buffer> {
  const answer = await person.fetch(downloadFile.path.replace('{hash}', fileHash));
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

afterEach(async () => {
  for (const clean of cleaners.splice(0).reverse()) await clean();
});
afterAll(stopPostgres);

test('an installation moves from SQLite to PostgreSQL, with objects in place and its source unchanged', async () => {
  const left = await leaveInstallation();
  const { folder } = left;
  const env = await newDatabase();
  const before = await digestSource(folder);
  const checked = await move(folder, env, '--check');
  expect(checked, checked.err).toMatchObject({ code: 0 });
  const { database: wanted, obstacles } = JSON.parse(checked.out) as {
    database: { rows: number };
    obstacles: string[];
  };
  expect(obstacles).toEqual([]);
  expect(await readdir(folder)).not.toContain('moved.json');

  const ended = await move(folder, env);
  expect(ended, ended.err).toMatchObject({ code: 0 });
  const report = JSON.parse(ended.out) as {
    database: { tables: { table: string; rows: number; sha256: string }[] };
    problems: string[];
  };
  expect(report.problems).toEqual([]);
  const rows = report.database.tables.reduce((sum, table) => sum + table.rows, 0);
  using source = new SqliteRows(join(folder, 'recordproof.db'));
  expect(rows).toBe(wanted.rows);
  for (const { table, rows: there } of report.database.tables) expect(source.count(table), table).toBe(there);
  expect(await digestSource(folder)).toEqual(before);

  await expect(startThere(left, {})).rejects.toThrow('moved to postgres://');
  await using app = await startThere(left, env);
  await checkMoved(app, left.full);
});

test('a move that is impossible is rejected before anything is changed', async () => {
  const folder = await newFolder();
  const env = await newDatabase();
  const path = join(folder, 'recordproof.db');
  const rejected = async (settings: Env, words: string, code = 1) =>
    expect(await move(folder, settings)).toMatchObject({ code, err: expect.stringContaining(words) });
  await rejected(env, 'is to be moved', 66);
  {
    await using running = await startApp({ engine: 'sqlite', folder });
    await rejected({}, 'is to be moved', 66);
    await rejected(env, 'a server or another move is at work');
    const { db } = running.app.database;
    await db
      .insertInto('schema_migration')
      .values({ name: 'V9.0 of tomorrow', checksum: 'x', applied_at: 0 })
      .execute();
  }
  await rejected(env, 'written by a newer version');
  await change(path, async db => {
    await db.deleteFrom('schema_migration').where('name', '=', 'V9.0 of tomorrow').execute();
    await db.insertInto('tenant').values({ name: 'with a \0 in it', created_at: 0 }).execute();
  });
  await rejected(env, 'the text tenant.name of the row 2 has a NUL');
  await change(path, db => db.deleteFrom('tenant').where('id', '=', 2).execute());
  const other = await newDatabase();
  await runSql(other.DATABASE_URL ?? '', 'create table of_others (id int)');
  await rejected(other, 'has tables already');
  expect(await readdir(folder)).not.toContain('moved.json');
  await using there = await startApp({ engine: 'sqlite', folder });
  await checkEverything(there);
});

test('a cancelled move leaves the installation unchanged; a started one accepts no other target', async () => {
  const folder = await newFolder();
  const [env, other] = [await newDatabase(), await newDatabase()];
  await (await startApp({ engine: 'sqlite', folder }))[Symbol.asyncDispose]();
  await markMoving(folder, { ...begunMove, database: new URL(env.DATABASE_URL ?? '').href });
  await expect(startApp({ engine: 'sqlite', folder })).rejects.toThrow('is being moved');
  expect(await move(folder, other)).toMatchObject({ code: 1, err: expect.stringContaining('is unfinished') });
  expect(await move(folder, env, '--give-up')).toMatchObject({ code: 0, out: expect.stringContaining('is unchanged') });
  await (await startApp({ engine: 'sqlite', folder }))[Symbol.asyncDispose]();
  const rivals = await Promise.all([move(folder, env), move(folder, env), move(folder, env)]);
  const [winner, ...others] = rivals.sort((a, b) => (a.code ?? 0) - (b.code ?? 0));
  expect(winner, winner?.err).toMatchObject({ code: 0 });
  for (const other of others) expect(other.err).toMatch(/another move is at work|is to be moved/);
});

test('a move waits for commands that are at work, and what commands report as done is moved', async () => {
  const folder = await newFolder();
  const env = await newDatabase();
  await (await startApp({ engine: 'sqlite', folder }))[Symbol.asyncDispose]();
  const command = await openDatabase({ kind: 'sqlite', path: join(folder, 'recordproof.db') });
  await command.db.selectFrom('tenant').selectAll().execute();
  expect(await move(folder, env)).toMatchObject({
    code: 1,
    err: expect.stringContaining('another command is at work'),
  });
  expect(await readdir(folder)).not.toContain('moved.json');
  await command.db.insertInto('tenant').values({ name: 'acknowledged', created_at: 0 }).execute();
  await command.close();

  const names = ['one', 'two', 'three', 'four'];
  const create = (name: string) =>
    runServerCommand(['admin', 'tenants', '--data', folder, '--create', name]).ended.then(({ code }) => code);
  const [ended, ...codes] = await Promise.all([move(folder, env), ...names.map(create)]);
  const moved = ended.code === 0 ? ended : await move(folder, env);
  expect(moved, moved.err).toMatchObject({ code: 0 });
  await using there = await startApp({ engine: 'sqlite', folder, env });
  const tenants = await there.app.database.db.selectFrom('tenant').select('name').execute();
  const created = names.filter((_, at) => codes[at] === 0);
  expect(tenants.map(({ name }) => name)).toEqual(expect.arrayContaining(['acknowledged', ...created]));
});

const begunMove = {
  id: randomUUID(),
  startedAt: new Date(0).toISOString(),
  database: null,
  objects: null,
  isProven: false,
};

async function change(path: string, work: (db: Db) => Promise<unknown>): Promise<void> {
  const database = await openDatabase({ kind: 'sqlite', path });
  await work(database.db);
  await database.close();
}

describe.skipIf(whyNot !== null)(`moves to S3${whyNot === null ? '' : `, left out: ${whyNot}`}`, () => {
  afterAll(stopS3);

  test('an installation moves from SQLite and a disk to PostgreSQL and a bucket in one step', async () => {
    const left = await leaveInstallation();
    const env = { ...(await newDatabase()), ...(await s3Settings()) };
    const before = await digestSource(left.folder);
    const ended = await move(left.folder, env);
    expect(ended, ended.err).toMatchObject({ code: 0 });
    expect(JSON.parse(ended.out)).toMatchObject({ lost: { count: 0 }, problems: [] });
    expect(ended.out + ended.err).not.toContain(env.RECORDPROOF_S3_SECRET_ACCESS_KEY);
    expect(await digestSource(left.folder)).toEqual(before);
    await using app = await startThere(left, env);
    await checkMoved(app, left.full);
  });

  test('an installation moves to a bucket first, and to PostgreSQL later', async () => {
    const left = await leaveInstallation();
    const bucket = await s3Settings();
    const first = await move(left.folder, bucket);
    expect(first, first.err).toMatchObject({ code: 0 });
    await expect(startThere(left, {})).rejects.toThrow('set the S3 settings');
    {
      await using between = await startThere(left, bucket);
      await between.drain();
      await checkEverything(between);
    }
    const both = { ...bucket, ...(await newDatabase()) };
    const second = await move(left.folder, both);
    expect(second, second.err).toMatchObject({ code: 0 });
    expect(JSON.parse(second.out)).toMatchObject({ objects: null, problems: [] });
    await using app = await startThere(left, both);
    await checkMoved(app, left.full, 2);
  });

  test('objects of an installation on PostgreSQL move to a bucket once no server is running', async () => {
    const folder = await newFolder();
    const database = await newDatabase();
    const running = await startApp({ folder, env: { ...fullSettings, ...database } });
    const env = { ...database, ...(await s3Settings()) };
    let full: FullInstallation;
    try {
      full = await fillInstallation(running);
      expect(await move(folder, env)).toMatchObject({ code: 1, err: expect.stringContaining('servers are running') });
    } finally {
      await running[Symbol.asyncDispose]();
    }
    const ended = await move(folder, env);
    expect(ended, ended.err).toMatchObject({ code: 0 });
    await using app = await startApp({ folder, clock: running.clock, env: { ...fullSettings, ...env } });
    await checkMoved(app, full);
  });

  test('a bucket with contents is rejected, and a lost object is reported and skipped', async () => {
    const folder = await newFolder();
    const env = await s3Settings();
    const app = await startApp({ engine: 'sqlite', folder });
    const alice = await app.person('alice');
    const [kept, lost] = [
      await storeProxied(alice, Buffer.from('kept')),
      await storeProxied(alice, Buffer.from('lost')),
    ];
    await app.drain();
    await rm(await objectOf(app, lost, 0));
    await app[Symbol.asyncDispose]();
    const used = await s3Settings();
    await putSomething(used);
    expect(await move(folder, used)).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') });
    const ended = await move(folder, env);
    expect(ended, ended.err).toMatchObject({ code: 1 });
    expect(JSON.parse(ended.out)).toMatchObject({ lost: { count: 1, first: [expect.stringContaining('is missing')] } });
    await using there = await startApp({ engine: 'sqlite', folder, env, clock: app.clock });
    expect(await read(new Person('alice', there.app.url, alice.token), kept.fileHash)).toEqual(Buffer.from('kept'));
  });
});

async function putSomething(env: Env): Promise<void> {
  const config = await readConfig([], { ...env, RECORDPROOF_DATA: await newFolder() });
  await using objects = await openConfiguredStore(config);
  await objects.put('something', [Buffer.from('here')]);
}
