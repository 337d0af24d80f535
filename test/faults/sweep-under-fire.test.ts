// Concurrent uploads, deletions, saves, censuses and sweeps on a server that is killed now and then. In the end every
// object that a record needs exists, and every unreferenced one is gone.
// `npm run test:sweep` for ten minutes on each database.
import { createAccount, getDefaultTenant } from '@recordproof/server/features/accounts/index.ts';
import { localOrigin } from '@recordproof/server/platform/call.ts';
import { hashPassword } from '@recordproof/server/platform/crypto/password-text.ts';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { listFiles } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/sweep.ts';
import { afterAll, expect, test } from 'vitest';
import { Person, testPassword } from '../support/app.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { type Installation, newInstallation, type ServerProcess } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { burn, download, markIfAny, type World } from '../support/sweep-fire.ts';

/** The number of server lifetimes, or as many as fit into that many minutes. */
const rounds = Number(process.env.ROUNDS ?? 4);
const minutes = process.env.MINUTES === undefined ? undefined : Number(process.env.MINUTES);
/** Operations per lifetime. */
const operations = Number(process.env.OPERATIONS ?? 60);
/** Longer than any lease. */
const leaseMs = 600_000;
const quarterMs = 90 * 24 * 3600_000;
/** The time that a slow machine may take for the load, the sweep and reading all of it. */
const timeout = Math.max(1_800_000, rounds * operations * 100, (minutes ?? 0) * 300_000);

const switches = {
  SWEEP_MARK_ENABLED: 'true',
  SWEEP_DELETE_ENABLED: 'true',
  SWEEP_PROTECTION_WINDOW_DAYS: '0',
  SWEEP_WORKER_DELAY_SECONDS: '1',
  FILES_RETENTION_DAYS: '0',
};

afterAll(stopPostgres);

async function addBob({ config }: Installation): Promise<number> {
  const database = await openDatabase(config.db);
  try {
    const passwordHash = await hashPassword(testPassword);
    return await database.db.transaction().execute(async tx => {
      const tenantId = await getDefaultTenant(tx);
      const account = { tenantId, username: 'bob', email: 'bob@example.org', role: 'user' as const, passwordHash };
      await createAccount(tx, localOrigin('test', 0), account, 0);
      return tenantId;
    });
  } finally {
    await database.close();
  }
}

async function personAt({ url }: ServerProcess): Promise<Person> {
  const bob = new Person('bob', url);
  await bob.login('bob', testPassword);
  return bob;
}

async function settle(installation: Installation, world: World, aheadMs: number): Promise<void> {
  const server = await installation.start(aheadMs);
  try {
    await sweepAndRead(world, server);
  } finally {
    await server.stop();
  }
}

async function sweepAndRead({ stored }: World, server: ServerProcess): Promise<void> {
  const alice = await server.admin();
  const bob = await personAt(server);
  await server.tell('drain');
  let left = await takeAndRead(server, alice);
  while (left.unreferencedCount > 0) {
    const before = left.unreferencedCount;
    await markAll(alice, left);
    const countOpen = async () => {
      await server.tell('drain');
      return (await alice.call(api.getSweepStatus)).marks.marked;
    };
    await expect.poll(countOpen, { timeout: 300_000, interval: 500 }).toBe(0);
    left = await takeAndRead(server, alice);
    expect(left.unreferencedCount, 'left after another sweep').toBeLessThan(before);
  }
  expect(left.unknownHoldCount).toBe(0);
  const found = await readAll(alice);
  await readAll(bob);
  expect([...stored].filter(([hash, digest]) => found.get(hash) !== digest)).toEqual([]);
}

/** The content of every listed record, which must match the list. */
async function readAll(person: Person): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let page = 1; ; page += 1) {
    const { records, pages } = await person.call(listFiles, { query: { page: String(page), size: '100' } });
    for (const { fileHash, contentHash } of records) {
      found.set(fileHash, await download(person, fileHash));
      expect(found.get(fileHash), fileHash).toBe(contentHash);
    }
    if (page >= pages) return found;
  }
}

/** A census of the server's own may replace the one that is being read: the rest is for the next turn. */
async function markAll(alice: Person, { censusId }: api.Census): Promise<void> {
  for (let cursor: string | undefined; ; ) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
    const slice = await alice.call(api.listCandidates, { params: { censusId }, query }).catch(forgiveConflict);
    if (slice === null) return;
    for (const candidate of slice.records) await markIfAny(alice, candidate);
    if (slice.nextCursor === null) return;
    cursor = slice.nextCursor;
  }
}

function forgiveConflict(error: unknown): null {
  if ((error as { status?: number }).status === 409) return null;
  throw error;
}

async function takeAndRead(server: ServerProcess, alice: Person): Promise<api.Census> {
  const { censusId } = await alice.call(api.takeCensus);
  await server.tell('drain');
  const read = () => alice.call(api.getCensus, { params: { censusId } });
  await expect.poll(async () => (await read()).state, { timeout: 60_000 }).toBe('COMPLETED');
  return read();
}

const toEnv: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
};

/** The servers' records of their censuses and marks, however each server ended. */
async function countSwept({ config }: Installation): Promise<string> {
  const database = await openDatabase(config.db);
  try {
    const { db } = database;
    const censuses = await db.selectFrom('sweep_census').select('state').where('state', '=', 'COMPLETED').execute();
    const marks = await db.selectFrom('sweep_mark').select('state').execute();
    const count = (state: api.MarkState) => marks.filter(mark => mark.state === state).length;
    return `${censuses.length} censuses, ${count('DELETED')} objects swept, ${count('RETAINED')} marks that found theirs wanted`;
  } finally {
    await database.close();
  }
}

/** One server lifetime after the other; returns the number of kills. */
async function burnAll(installation: Installation, world: World): Promise<number> {
  const startedAt = performance.now();
  let kills = 0;
  const goesOn = () => (minutes === undefined ? kills < rounds : performance.now() - startedAt < minutes * 60_000);
  for (; goesOn(); kills += 1) {
    const server = await installation.start(kills * leaseMs);
    const people = { alice: await server.admin(), bob: await personAt(server) };
    await burn(world, people, server.child, operations);
  }
  return kills;
}

const title = 'the sweep deletes no referenced object and leaves no unreferenced one';

for (const [name, env] of Object.entries(toEnv)) {
  test(`on ${name}, ${title}`, { timeout }, async () => {
    await using installation = await newInstallation({ ...(await env()), ...switches });
    await (await installation.start()).stop();
    const tenantId = await addBob(installation);
    await using objects = await openConfiguredStore(installation.config);
    const counts = { operations: 0, uploads: 0, deletions: 0, readBefore: 0 };
    const world: World = { objects, tenantId, stored: new Map(), broken: [], counts };
    const kills = await burnAll(installation, world);
    await settle(installation, world, kills * leaseMs + quarterMs);
    const figures = { kills, ...counts, left: world.stored.size };
    console.log(`${name}: ${JSON.stringify(figures)}; ${await countSwept(installation)}`);
    expect(world.broken).toEqual([]);
    expect(counts.uploads).toBeGreaterThan(kills);
    await installation.checkAllEnded();
    await installation.checkEverything();
  });
}
