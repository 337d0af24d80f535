// Concurrent completions of uploads on two servers: one version each or a conflict, one response per upload.
import * as api from '@recordproof/shared/api/upload-sessions.ts';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../server/src/platform/db/open-db.ts';
import type { Person } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { crashAtEveryCommit } from '../support/completion-crashes.ts';
import { type Installation, newInstallation } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { killAtRandom, SessionClient } from '../support/random-kills.ts';
import { sendFile, sendProxied } from '../support/uploads.ts';

afterAll(stopPostgres);

const onPostgres = async () => newInstallation({ DATABASE_URL: (await (await postgres()).freshDatabase()).url });

async function twoServers(installation: Installation) {
  const servers = [await installation.start(), await installation.start()] as const;
  const people = [await servers[0].admin(), await servers[1].admin()] as const;
  const stop = async () => {
    // Remains of rejected uploads are cleaned by jobs, which a stop gives back: each server ends its own first.
    for (const server of servers) await server.tell('drain');
    await Promise.all(servers.map(server => server.stop()));
  };
  return { people, stop };
}

const complete = (person: Person, clientId: string) => person.call(api.completeUploadSession, { params: { clientId } });

async function listChain({ config }: Installation, groupId: number) {
  const database = await openDatabase(config.db);
  const chain = await database.db
    .selectFrom('file')
    .select(['id', 'version', 'parent_version_id', 'is_latest'])
    .where('version_group_id', '=', groupId)
    .orderBy('version')
    .execute();
  await database.close();
  return chain;
}

test('ten completions with one target on two servers each create the next version or return a conflict', async () => {
  await using installation = await onPostgres();
  const { people, stop } = await twoServers(installation);
  const first = (await sendFile(people[0], await pattern(5000))).data;
  let newest = first.fileId;
  const versions = [1];
  let conflicts = 0;
  const waiting = Array.from({ length: 10 }, (_, index) => index);
  // Rejected clients start again from the version that won, until all ten are stored.
  while (waiting.length > 0) {
    const clientIds = await Promise.all(
      waiting.map(async index => sendProxied(people[0], await pattern(5000, index + 1), { targetFileId: newest })),
    );
    const results = await Promise.allSettled(
      clientIds.map((clientId, at) => complete(people[at % 2] as Person, clientId)),
    );
    const stored = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
    const rejected = results.flatMap(result => (result.status === 'rejected' ? [result.reason.kind] : []));
    expect(stored).toHaveLength(1);
    expect(rejected).toEqual(Array(waiting.length - 1).fill('VERSION_CONFLICT'));
    conflicts += rejected.length;
    versions.push(stored[0]?.version ?? 0);
    newest = stored[0]?.fileId ?? '';
    waiting.pop();
  }
  expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(conflicts).toBe(45);
  await stop();
  const chain = await listChain(installation, Number(first.fileId));
  expect(chain.map(file => file.version)).toEqual(versions);
  expect(chain.map(file => file.parent_version_id)).toEqual([null, ...chain.slice(0, -1).map(file => file.id)]);
  expect(chain.filter(file => file.is_latest === 1).map(file => file.version)).toEqual([11]);
  await installation.checkEverything();
});

test('twenty completions of one upload on two servers return one file and one response', async () => {
  await using installation = await onPostgres();
  const { people, stop } = await twoServers(installation);
  const clientId = await sendProxied(people[0], await pattern(50_000));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => complete(people[at % 2] as Person, clientId)),
  );
  expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
  await stop();
  await installation.checkEverything();
});

test('a sample of the kills of test/faults leaves complete uploads', async () => {
  await using installation = await newInstallation();
  expect(await crashAtEveryCommit(installation, 'proxied', 5)).toBeGreaterThan(1);
  await using other = await newInstallation();
  await killAtRandom(other, 4, new SessionClient());
});
