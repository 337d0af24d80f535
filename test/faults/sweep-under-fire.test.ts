// Uploads, deletions, saves, censuses and sweeps at once, on a server that is killed now and then. Whatever a record still
// needs is there at the end, and everything that nothing refers to is gone.
//   ROUNDS=60 OPERATIONS=1700 for about 100,000 operations on each database.
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount, getDefaultTenant } from '@recordproof/server/features/accounts/index.ts';
import { localOrigin } from '@recordproof/server/platform/call.ts';
import { hashPassword } from '@recordproof/server/platform/crypto/password-hash.ts';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { deleteFile, downloadFile, listFiles } from '@recordproof/shared/api/files.ts';
import { saveSharedFiles } from '@recordproof/shared/api/shares.ts';
import * as api from '@recordproof/shared/api/sweep.ts';
import { afterAll, expect, test } from 'vitest';
import type { ObjectStore } from '../../server/src/platform/objects/object-store.ts';
import { Person, testPassword } from '../support/app.ts';
import { openConfiguredStore } from '../support/configured-store.ts';
import { type Installation, newInstallation, type ServerProcess } from '../support/installation.ts';
import { leaveOrphan } from '../support/orphans.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { share } from '../support/shares.ts';
import { digestOf, sendFile, sendProxied, storeProxied } from '../support/uploads.ts';

const rounds = Number(process.env.ROUNDS ?? 4);
const operations = Number(process.env.OPERATIONS ?? 60);
const lanes = 4;
/** Longer than any lease. */
const leaseMs = 600_000;
const quarterMs = 90 * 24 * 3600_000;

const switches = {
  SWEEP_MARK_ENABLED: 'true',
  SWEEP_DELETE_ENABLED: 'true',
  SWEEP_PROTECTION_WINDOW_DAYS: '0',
  SWEEP_WORKER_DELAY_SECONDS: '1',
  FILES_RETENTION_DAYS: '0',
};

afterAll(stopPostgres);

type World = {
  readonly installation: Installation;
  /** The store of the installation, as whoever leaves things in it has it. */
  readonly objects: ObjectStore;
  readonly tenantId: number;
  /** Of the records that were answered for: what they hold. */
  readonly stored: Map<string, string>;
  /** Those whose deletion was asked for. */
  readonly given: Set<string>;
};

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

type People = { readonly alice: Person; readonly bob: Person };

async function upload({ stored }: World, { alice }: People): Promise<void> {
  const bytes = randomBytes(randomInt(1, 6000));
  if (randomInt(2) === 0) {
    const { data } = await sendFile(alice, bytes);
    if (data) stored.set(String(data.fileHash), digestOf(bytes));
    return;
  }
  const { fileHash } = await storeProxied(alice, bytes, { chunkSize: 2000 });
  stored.set(fileHash, digestOf(bytes));
}

async function remove({ stored, given }: World, { alice }: People): Promise<void> {
  const some = [...stored.keys()].filter(hash => !given.has(hash));
  const hash = some[randomInt(Math.max(1, some.length))];
  if (hash === undefined) return;
  given.add(hash);
  await alice.call(deleteFile, { params: { hash } });
}

async function save({ stored, given }: World, { alice, bob }: People): Promise<void> {
  const hash = [...stored.keys()].findLast(each => !given.has(each));
  if (hash === undefined) return;
  const { shareCode: code } = await share(alice, hash);
  await bob.call(saveSharedFiles, { params: { code } });
}

/** What a census calls unreferenced may be claimed, found and wanted by others at the same time. */
async function sweep(_world: World, { alice }: People): Promise<void> {
  await alice.call(api.takeCensus);
  const { census } = await alice.call(api.getSweepStatus);
  if (census?.state !== 'COMPLETED') return;
  const { records } = await alice.call(api.listCandidates, { params: { censusId: census.censusId } });
  for (const { storagePath, cipherHash } of records) await markIfAny(alice, { storagePath, cipherHash });
}

const markIfAny = (alice: Person, body: { storagePath: string; cipherHash: string }) =>
  alice.call(api.markObject, { body }).catch((error: unknown) => {
    if ((error as { status?: number }).status === undefined) throw error;
  });

const leave = async ({ objects, tenantId }: World): Promise<void> => {
  await leaveOrphan(objects, tenantId, (['tenant', 'short', 'staging'] as const)[randomInt(3)]);
};

const abandon = async (_world: World, { alice }: People): Promise<void> => {
  await sendProxied(alice, randomBytes(4000), { chunkSize: 2000 });
};

const acts = [upload, upload, upload, remove, save, sweep, leave, abandon];

/** One server's life, which ends by a kill in the middle of it all. */
async function burn(world: World, aheadMs: number): Promise<number> {
  const server = await world.installation.start(aheadMs);
  const people = { alice: await server.admin(), bob: await personAt(server) };
  let done = 0;
  let isKilled = false;
  const lane = async () => {
    while (!isKilled && done < operations) {
      const act = acts[randomInt(acts.length)] ?? upload;
      await act(world, people).catch(() => {}); // the server may be dead, or the thing gone
      done += 1;
    }
  };
  const kill = async () => {
    while (done < operations * 0.9) await pause(5);
    isKilled = true;
    await server.child.kill();
  };
  await Promise.all([kill(), ...Array.from({ length: lanes }, lane)]);
  return done;
}

async function settle(world: World, aheadMs: number): Promise<void> {
  const server = await world.installation.start(aheadMs);
  try {
    await sweepAndRead(world, server);
  } finally {
    await server.stop();
  }
}

async function sweepAndRead({ stored, given }: World, server: ServerProcess): Promise<void> {
  const alice = await server.admin();
  const bob = await personAt(server);
  await server.tell('drain');
  const left = await takeAndRead(server, alice);
  for (let cursor: string | undefined; ; ) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
    const slice = await alice.call(api.listCandidates, { params: { censusId: left.censusId }, query });
    for (const { storagePath, cipherHash } of slice.records)
      await alice.call(api.markObject, { body: { storagePath, cipherHash } });
    if (slice.nextCursor === null) break;
    cursor = slice.nextCursor;
  }
  const countOpen = async () => {
    await server.tell('drain');
    return (await alice.call(api.getSweepStatus)).marks.marked;
  };
  await expect.poll(countOpen, { timeout: 300_000, interval: 500 }).toBe(0);
  expect(await takeAndRead(server, alice)).toMatchObject({ unreferencedCount: 0, unknownHoldCount: 0 });
  for (const [hash, contentHash] of stored)
    if (!given.has(hash)) expect(await download(alice, hash), hash).toBe(contentHash);
  for (const person of [alice, bob])
    for (let page = 1; ; page += 1) {
      const { records, pages } = await person.call(listFiles, { query: { page: String(page), size: '100' } });
      for (const { fileHash, contentHash } of records) expect(await download(person, fileHash)).toBe(contentHash);
      if (page >= pages) break;
    }
}

async function takeAndRead(server: ServerProcess, alice: Person): Promise<api.Census> {
  const { censusId } = await alice.call(api.takeCensus);
  await server.tell('drain');
  const read = () => alice.call(api.getCensus, { params: { censusId } });
  await expect.poll(async () => (await read()).state, { timeout: 60_000 }).toBe('COMPLETED');
  return read();
}

async function download(person: Person, hash: string): Promise<string> {
  const response = await person.client.open(downloadFile, { params: { hash } });
  return digestOf(new Uint8Array(await response.arrayBuffer()));
}

const toEnv: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
};

for (const [name, env] of Object.entries(toEnv)) {
  test(`on ${name}, no object that is needed is ever swept, and nothing that is not needed stays`, async () => {
    await using installation = await newInstallation({ ...(await env()), ...switches });
    await (await installation.start()).stop();
    const tenantId = await addBob(installation);
    await using objects = await openConfiguredStore(installation.config);
    const world: World = { installation, objects, tenantId, stored: new Map(), given: new Set() };
    let done = 0;
    for (let round = 0; round < rounds; round += 1) done += await burn(world, round * leaseMs);
    await settle(world, rounds * leaseMs + quarterMs);
    console.log(`${name}: ${done} operations, ${rounds} kills, ${world.stored.size} records`);
    expect(world.stored.size).toBeGreaterThan(rounds);
    await installation.checkAllEnded();
    await installation.checkEverything();
  });
}
