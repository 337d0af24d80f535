// Three servers on real services behind one address, under load: one is killed every few seconds, then each service
// goes away in turn, then a newer version is deployed. KILLS=60 SECONDS_WITHOUT_DATABASE=30 is the long form.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { issueStreamToken, me } from '@recordproof/shared/api/auth.ts';
import { afterAll, beforeAll, expect, test as plainTest } from 'vitest';
import { Person } from '../support/app.ts';
import { whyNoCeph } from '../support/ceph.ts';
import { type Fleet, type FleetServer, startFleet } from '../support/fleet/fleet.ts';
import { FleetLoad } from '../support/fleet/load.ts';
import { openOutsideQueue } from '../support/fleet/outside-queue.ts';
import { checkAcknowledged } from '../support/fleet/truth.ts';
import { readSql, runSql } from '../support/postgres.ts';
import { whyNotWith } from '../support/programs.ts';
import { rabbitPrograms } from '../support/rabbitmq.ts';
import { redisProgram } from '../support/redis.ts';

const kills = Number(process.env.KILLS ?? 4);
const secondsWithoutDatabase = Number(process.env.SECONDS_WITHOUT_DATABASE ?? 8);
const betweenKillsMs = 5000;
/** Claims of a killed server wait for the end of its lease; repeated failures wait five minutes between two tries. */
const asLongAsItTakesMs = 600_000;
const newerServer = fileURLToPath(new URL('../support/children/newer-server.ts', import.meta.url));

const missing = whyNoCeph() ?? whyNotWith(redisProgram, ...rabbitPrograms);
const test = plainTest.skipIf(missing !== null);
let fleet: Fleet;
const loads: FleetLoad[] = [];
beforeAll(async () => {
  if (missing === null) fleet = await startFleet();
}, asLongAsItTakesMs);
afterAll(async () => fleet?.[Symbol.asyncDispose]());

/** Runs the load during the event; afterwards no client has seen an error, and each has received all events. */
async function underLoad(happens: (load: FleetLoad) => Promise<void>): Promise<FleetLoad> {
  await using load = await FleetLoad.start(await fleet.admin(), loads.length);
  loads.push(load);
  await happens(load);
  const before = load.stored.length;
  await expect.poll(() => load.stored.length, { timeout: asLongAsItTakesMs }).toBeGreaterThan(before);
  await load.stop();
  await expect.poll(() => new Set(load.told).size, { timeout: asLongAsItTakesMs }).toBe(load.stored.length);
  expect(load.errors).toEqual([]);
  expect(load.tokensUsedTwice).toBe(0);
  expect(load.told.toSorted()).toEqual(load.stored.map(({ fileId }) => fileId).toSorted());
  return load;
}

const everywhere = (check: (server: FleetServer) => Promise<void>) => Promise.all(fleet.servers.map(check));

const untilPart = (part: string, status: string) =>
  everywhere(server =>
    expect.poll(async () => (await server.healthOf(part)).status, { timeout: asLongAsItTakesMs }).toBe(status),
  );

const readiness = '/actuator/health/readiness';
const everyoneIs = (status: number) =>
  everywhere(server =>
    expect.poll(async () => (await server.ask(readiness)).status, { timeout: asLongAsItTakesMs }).toBe(status),
  );

async function killInTurn(): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    const next = sleep(betweenKillsMs);
    const server = fleet.servers[kill % fleet.servers.length];
    await sleep(Math.random() * 1000); // at any time of its work
    await server?.kill();
    await server?.start();
    await next;
  }
}

test('one server after the other is killed: clients that retry get no error', async () => {
  const load = await underLoad(killInTurn);
  const counts = `${load.stored.length} files, ${load.shareCodes.length} shares, ${load.tokens} tokens`;
  console.log(`${kills} kills, ${counts}, ${load.deleted.size} deletions, ${load.tries} tries again`);
});

test('Redis is down: health reports it, all servers stay ready, and only one-time tokens have to wait', async () => {
  await underLoad(async () => {
    await fleet.services.redis.crash();
    await untilPart('redis', 'DOWN');
    await everyoneIs(200);
    const alice = await fleet.admin();
    expect(await alice.expectError(issueStreamToken)).toMatchObject({
      status: 503,
      retryAfterSeconds: expect.any(Number),
    });
    await fleet.services.redis.restart();
    await untilPart('redis', 'UP');
  });
});

test('RabbitMQ is down: its events wait, and all of them arrive', async () => {
  const { rabbit } = fleet.services;
  const queue = await openOutsideQueue(rabbit.url, 'file.stored');
  const { stored } = await underLoad(async load => {
    await rabbit.crash();
    await untilPart('rabbit', 'DOWN');
    const before = load.stored.length;
    await expect.poll(() => load.stored.length, { timeout: asLongAsItTakesMs }).toBeGreaterThan(before + 10);
    await rabbit.restart();
    await untilPart('rabbit', 'UP');
  });
  const told = new Set<string>();
  const listUnheard = async () => {
    for (const { fileId } of await queue.readAll()) told.add(String(fileId));
    return stored.map(({ fileId }) => fileId).filter(id => !told.has(id));
  };
  try {
    await expect.poll(listUnheard, { timeout: asLongAsItTakesMs, interval: 500 }).toEqual([]);
  } catch (error) {
    const left =
      'select kind, state, count(*), max(attempt) as attempts, max(last_error) as error from job group by 1, 2';
    throw new Error(`jobs left: ${JSON.stringify(await readSql(fleet.services.databaseUrl, left))}`, { cause: error });
  }
});

test('one of two addresses of the object store is down: the other one serves', async () => {
  await underLoad(async load => {
    await fleet.services.gateway.stop();
    await untilPart('s3Storage', 'DEGRADED');
    const before = load.stored.length;
    await expect.poll(() => load.stored.length, { timeout: asLongAsItTakesMs }).toBeGreaterThan(before + 20);
  });
});

test('PostgreSQL is down: requests return 503 with Retry-After, then all continues', async () => {
  const { token } = await fleet.admin();
  await underLoad(async () => {
    const { postgres } = fleet.services;
    await postgres.crash();
    const back = sleep(secondsWithoutDatabase * 1000);
    await everyoneIs(503);
    await everywhere(async ({ url }) => {
      const rejection = await new Person('alice', url, token).expectError(me);
      expect(rejection).toMatchObject({ status: 503, retryAfterSeconds: expect.any(Number) });
    });
    await back;
    await postgres.restart();
    await everyoneIs(200);
    await untilPart('db', 'UP');
  });
});

test('a newer version is rolled out server by server; older servers keep running and report it', async () => {
  await underLoad(async () => {
    const [first, ...others] = fleet.servers;
    await first?.stop();
    process.env.NEXT_STEP = 'create unique index of_tomorrow on file (id)';
    await expect(first?.start(newerServer)).rejects.toThrow('would break them; stop all of them');
    process.env.NEXT_STEP = 'alter table file add column of_tomorrow text';
    await first?.start(newerServer);
    for (const server of others) {
      expect(await server.healthOf('db')).toMatchObject({ details: { newerSteps: ['V99.0.0 of tomorrow'] } });
      expect((await server.ask(readiness)).status).toBe(200);
    }
    await others[0]?.stop();
    await expect(others[0]?.start()).rejects.toThrow('was written by a newer version');
    for (const server of others) {
      await server.stop();
      await server.start(newerServer);
    }
    await untilPart('db', 'UP');
  });
});

test('in the end everything acknowledged is stored, and nothing twice', async () => {
  await checkAcknowledged(fleet, loads);
  await runSql(fleet.services.databaseUrl, `delete from schema_migration where name = 'V99.0.0 of tomorrow'`);
  await fleet.checkEverything();
});
