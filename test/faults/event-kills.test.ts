// Repeated kills of a server under a load of uploads: a client that follows the events gets each file's event exactly
// once.
import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from '@recordproof/shared/api/client.ts';
import { followEvents } from '@recordproof/shared/api/sse.ts';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import type { Person } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { findFreePort } from '../support/child-process.ts';
import { type Installation, newInstallation, type ServerProcess } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { sendFile } from '../support/uploads.ts';

afterAll(stopPostgres);

const kills = 6;
const lanes = 4;
/** Longer than any lease: the claims of a dead server are due again at once. */
const aheadMs = 3 * 60_000;

/** Sends small files until told to stop; waits while a server is away. */
async function pourIn(person: Person, lane: number, isOver: () => boolean): Promise<void> {
  for (let number = 0; !isOver(); number += 1) {
    const bytes = await pattern(700, lane * 100_000 + number);
    await sendFile(person, bytes, `file-${lane}-${number}.pdf`).catch(() => sleep(50));
  }
}

/** Records the files of its events, and the number of reconnects. */
function follow(person: Person) {
  const stopping = new AbortController();
  const told: string[] = [];
  let comebacks = 0;
  const client = openClient({ baseUrl: person.baseUrl, token: () => person.token, timeoutMs: 5000 });
  const onWaiting = () => {
    comebacks += 1;
  };
  const following = (async () => {
    for await (const event of followEvents({ client, signal: stopping.signal, onWaiting, random: () => 0 })) {
      if (event.type === 'connected') expect(event.payload.missed).toBe(false);
      if (event.type === 'file-recorded') told.push(event.payload.fileId);
    }
  })();
  const stop = async () => {
    stopping.abort();
    await following;
  };
  return { told, comebacks: () => comebacks, stop };
}

async function listFiles({ config }: Installation): Promise<string[]> {
  const database = await openDatabase(config.db);
  const rows = await database.db.selectFrom('file').select('id').where('status', '=', 1).execute();
  await database.close();
  return rows.map(({ id }) => String(id));
}

/** Waits until the stream is open again and has delivered an event of this server's lifetime. */
async function untilMoreEvents({ told }: { readonly told: readonly string[] }): Promise<void> {
  const before = told.length;
  await expect.poll(() => told.length, { timeout: 120_000, interval: 20 }).toBeGreaterThan(before);
}

async function killDuringBurst(installation: Installation): Promise<void> {
  let server: ServerProcess = await installation.start();
  const person = await server.admin();
  const follower = follow(person);
  let isOver = false;
  const pouring = Array.from({ length: lanes }, (_, lane) => pourIn(person, lane, () => isOver));
  for (let kill = 1; kill <= kills; kill += 1) {
    await untilMoreEvents(follower);
    await sleep(Math.random() * 1000); // at any time of the burst
    await server.child.kill();
    server = await installation.start(kill * aheadMs);
  }
  await untilMoreEvents(follower);
  isOver = true;
  await Promise.all(pouring);
  await server.tell('drain');
  const files = await listFiles(installation);
  await expect.poll(() => new Set(follower.told).size, { timeout: 120_000 }).toBe(files.length);
  await follower.stop();
  await server.stop();
  expect(files.length).toBeGreaterThan(kills);
  expect(follower.told.toSorted()).toEqual(files.toSorted());
  expect(follower.comebacks()).toBeGreaterThanOrEqual(kills);
}

test('on SQLite no event is lost or repeated when the server is killed', async () => {
  await using installation = await newInstallation({ RECORDPROOF_PORT: String(await findFreePort()) });
  await killDuringBurst(installation);
});

test('on PostgreSQL no event is lost or repeated when the server is killed', async () => {
  const { url } = await (await postgres()).freshDatabase();
  const port = String(await findFreePort());
  await using installation = await newInstallation({ DATABASE_URL: url, RECORDPROOF_PORT: port });
  await killDuringBurst(installation);
});
