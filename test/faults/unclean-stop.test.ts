// A start after a server that crashed: the marker file that it left, and a database that may be damaged.
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '@recordproof/server/platform/db/open-db.ts';
import { isLeased } from '@recordproof/server/platform/lock.ts';
import { getHealth, type HealthStatus } from '@recordproof/shared/api/monitor.ts';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type MovableClock, openMovableClock, startApp, type TestApp } from '../support/app.ts';
import { dropDatabaseOf } from '../support/app-database.ts';
import { engines } from '../support/engines.ts';
import { startServerProcess } from '../support/server-process.ts';
import { storeProxied } from '../support/uploads.ts';

const managementToken = 'management-token-of-at-least-forty-characters';

async function openFolder(engine: Engine = 'sqlite') {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-unclean-'));
  const clocks: MovableClock[] = [];
  /** Uses a clock that is not behind the times that real servers and earlier ones have written to the ledger. */
  const openApp = (more = {}) => {
    const clock = openMovableClock(Math.max(Date.now(), ...clocks.map(earlier => earlier.now())));
    clocks.push(clock);
    return startApp({ folder, engine, clock, env: { RECORDPROOF_MANAGEMENT_TOKEN: managementToken, ...more } });
  };
  const close = async () => {
    await dropDatabaseOf(folder);
    await rm(folder, { recursive: true });
  };
  return { folder, openApp, [Symbol.asyncDispose]: close };
}

async function killServerOn(folder: string): Promise<void> {
  await using server = await startServerProcess({ folder });
  await server.kill();
}

/** A table that is not read at a start. */
async function damage(folder: string, table: string): Promise<void> {
  const path = join(folder, 'recordproof.db');
  const db = new Database(path);
  const size = db.pragma('page_size', { simple: true }) as number;
  const page = db.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(table) as number;
  db.close();
  await using file = await open(path, 'r+');
  await file.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
}

type Component = { readonly status: HealthStatus; readonly details?: Readonly<Record<string, unknown>> };

/** The health of the database after the integrity check has ended. */
async function judged({ app, clock }: TestApp): Promise<Component> {
  for (;;) {
    const headers = { authorization: `Bearer ${managementToken}` };
    const answer = await fetch(app.url + getHealth.path, { headers });
    const { components } = (await answer.json()) as { components: { db: Component } };
    if (components.db.details?.check !== 'running') return components.db;
    clock.advance(2000);
  }
}

const sound = { status: 'UP', details: { database: 'sqlite' } };

test('after a kill the database is checked and reported as sound', { timeout: 60_000 }, async () => {
  await using installation = await openFolder();
  await killServerOn(installation.folder);
  await using app = await installation.openApp();
  expect(app.app.server.databaseCheck.state).toEqual({ kind: 'running' });
  expect(await judged(app)).toEqual(sound);
  expect(app.app.server.databaseCheck.state).toEqual({ kind: 'sound' });
});

test('health reports database damage until it is repaired, and undamaged data is served', {
  timeout: 60_000,
}, async () => {
  await using installation = await openFolder();
  await killServerOn(installation.folder);
  await damage(installation.folder, 'conversation');
  for (const _start of ['after the kill', 'after a stop in order']) {
    await using app = await installation.openApp();
    expect(await judged(app)).toEqual({
      status: 'DEGRADED',
      details: {
        database: 'sqlite',
        check: 'damaged',
        error: 'the database file is damaged; make a copy of it, then restore it from a backup',
        findings: [expect.stringMatching(/malformed|page/)],
      },
    });
    expect((await fetch(`${app.app.url}/actuator/health/readiness`)).status).toBe(200);
  }
});

const proving = { ATTESTATION_PRODUCTION_ENABLED: 'true' };

/** Stores a file, and leaves the claims that a killed server would leave. */
async function leaveClaims(app: TestApp): Promise<void> {
  await storeProxied(await app.person('ada'), Buffer.from('proven'));
  await app.drain();
  const { db } = app.app.database;
  const due_at = app.clock.now() + 120_000;
  await db.updateTable('attestation_candidate').set({ status: 'CLAIMED', claim: 'gone', due_at }).execute();
  await db.updateTable('job').set({ state: 'RUNNING', due_at }).execute();
  await db
    .insertInto('job')
    .values({ kind: 'saga-sweep', payload: '{}', state: 'RUNNING', due_at, attempt: 1, fence: 1, created_at: 0 })
    .execute();
  await db.insertInto('lease_lock').values({ name: 'held', fence: 1, due_at }).execute();
}

async function readClaims({ app, clock }: TestApp) {
  const { db } = app.database;
  const jobs = await db.selectFrom('job').select('kind').where('state', '=', 'RUNNING').execute();
  return {
    jobs: jobs.map(({ kind }) => kind).sort(),
    candidates: await db.selectFrom('attestation_candidate').select('status').execute(),
    isHeld: await isLeased(db, 'held', clock.now()),
  };
}

test.for(engines)(
  'after a kill nothing waits for leases of the dead server: neither jobs, locks nor claims (%s)',
  async engine => {
    await using installation = await openFolder(engine);
    {
      await using app = await installation.openApp({ ...proving, ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '100' });
      await leaveClaims(app);
    }
    await using app = await installation.openApp({ ...proving, ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '1' });
    app.clock.advance(60_000); // the next poll of attestation is due, and no lease has ended
    await app.drain();
    const { db } = app.app.database;
    expect(await readClaims(app)).toEqual({ jobs: [], candidates: [{ status: 'BATCHED' }], isHeld: false });
    expect(await db.selectFrom('job').select('id').where('kind', '=', 'saga-sweep').execute()).toEqual([]);
  },
);

const several = { RECORDPROOF_SEVERAL_SERVERS_WITHOUT_REDIS: 'true' };

test('a server that starts beside a running one keeps its leases; one that starts alone ends them', async () => {
  await using installation = await openFolder('postgres');
  const settings = { ...proving, ...several, ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '1' };
  const claimed = { jobs: ['saga-sweep', 'uploads.clean'], candidates: [{ status: 'CLAIMED' }], isHeld: true };
  {
    await using first = await installation.openApp({ ...settings, ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '100' });
    await leaveClaims(first);
    await using second = await installation.openApp(settings);
    second.clock.advance(60_000);
    await second.drain();
    expect(await readClaims(second)).toEqual(claimed);
  }
  await using third = await installation.openApp(settings);
  third.clock.advance(60_000);
  await third.drain();
  expect(await readClaims(third)).toEqual({ jobs: [], candidates: [{ status: 'BATCHED' }], isHeld: false });
});

test('after an orderly stop the database is not checked', async () => {
  await using installation = await openFolder();
  await (await installation.openApp())[Symbol.asyncDispose]();
  await damage(installation.folder, 'conversation');
  await using app = await installation.openApp();
  expect(app.app.server.databaseCheck.state).toEqual({ kind: 'sound' });
});

test('a server stopped during the database check leaves it to the next start', { timeout: 60_000 }, async () => {
  await using installation = await openFolder();
  await killServerOn(installation.folder);
  await (await installation.openApp())[Symbol.asyncDispose]();
  await using app = await installation.openApp();
  expect(app.app.server.databaseCheck.state).toEqual({ kind: 'running' });
});
