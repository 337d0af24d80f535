// A stop of a server that takes uploads, delivers downloads, streams events and makes proofs: it ends within the
// documented time, logs no error, and has everything that it acknowledged when it is started again.
import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { login } from '@recordproof/shared/api/auth.ts';
import { afterAll, expect, test } from 'vitest';
import { Person } from '../support/app.ts';
import { engines } from '../support/engines.ts';
import { listen } from '../support/event-streams.ts';
import { generousRates } from '../support/installation.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { digestOf, sendFile, sendMany, storeProxied } from '../support/uploads.ts';

afterAll(stopPostgres);

const stops = Number(process.env.STOPS ?? 4);
/** docs/guide/upgrade.md. Of these, 8 are for running requests (`shutdown-grace-seconds`). */
const longestMs = 10_000;
const password = 'correct horse battery';

const settings = {
  ...generousRates,
  RECORDPROOF_PROFILE: 'laptop',
  RECORDPROOF_ADMIN_USERNAME: 'root',
  RECORDPROOF_ADMIN_EMAIL: 'root@example.org',
  RECORDPROOF_ADMIN_PASSWORD: password,
};

/** By record: the digest of what was acknowledged. */
type Stored = Map<string, string>;

/** Clients that work until the server is gone. Resolves once all of them have noticed. */
function load(root: Person, stored: Stored): Promise<unknown> {
  const small = async () => {
    const bytes = randomBytes(randomInt(1, 300_000));
    const { status, data } = await sendFile(root, bytes);
    if (status === 200) stored.set(data.fileHash, digestOf(bytes));
  };
  const together = async () => {
    const files = Array.from({ length: 20 }, () => ({ bytes: randomBytes(2000) }));
    const { data } = await sendMany(root, files);
    for (const [at, result] of (data?.results ?? []).entries())
      if (result.status === 'STORED') stored.set(result.fileHash, digestOf(files[at]?.bytes ?? Buffer.alloc(0)));
  };
  const large = async () => {
    const bytes = randomBytes(9 * 2 ** 20);
    const { fileHash } = await storeProxied(root, bytes, { chunkSize: 2 * 2 ** 20 });
    stored.set(fileHash, digestOf(bytes));
  };
  const read = async () => {
    const [fileHash] = [...stored.keys()].slice(-1);
    if (fileHash === undefined) await pass(10);
    else await (await root.fetch(`/api/v1/files/${fileHash}/download`)).arrayBuffer();
  };
  const untilGone = async (act: () => Promise<void>) => {
    for (;;) {
      try {
        await act();
      } catch {
        if (!(await isServed(root))) return;
      }
    }
  };
  const acts = [small, small, small, small, together, together, large, large, large, read, read, read];
  return Promise.all(acts.map(untilGone));
}

const isServed = (root: Person): Promise<boolean> =>
  root.fetch('/actuator/health/liveness').then(
    () => true,
    () => false,
  );

async function enter(server: ServerProcess): Promise<Person> {
  const root = new Person('root', server.url);
  root.token = (await root.call(login, { body: { username: 'root', password } })).token;
  return root;
}

/** Time from the signal to the exit. */
async function stop({ pid }: ServerProcess): Promise<number> {
  const startedAt = performance.now();
  process.kill(pid, 'SIGTERM');
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return performance.now() - startedAt;
    }
    await pass(10);
  }
}

test.for(engines)('on %s, a server that is stopped under load ends in time and logs no error', async engine => {
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-stopped-'));
  const database = engine === 'postgres' ? await (await postgres()).freshDatabase() : null;
  const env = { ...settings, ...(database && { DATABASE_URL: database.url }) };
  const output: string[] = [];
  const onOutput = (text: string) => void output.push(text);
  const stored: Stored = new Map();
  const took: number[] = [];
  try {
    for (let round = 0; round < stops; round += 1) {
      await using server = await startServerProcess({ folder, env, onOutput });
      const root = await enter(server);
      using _listener = await listen(root);
      const before = stored.size;
      const ended = load(root, stored);
      await expect.poll(() => stored.size, { timeout: 120_000, interval: 20 }).toBeGreaterThan(before + 20);
      await pass(randomInt(0, 500));
      took.push(await stop(server));
      await ended;
    }
    const lines = output.join('').split('\n');
    expect(lines.filter(line => /"level":"(error|fatal)"/.test(line))).toEqual([]);
    expect(Math.max(...took)).toBeLessThanOrEqual(longestMs);
    await using server = await startServerProcess({ folder, env });
    const root = await enter(server);
    for (const [fileHash, digest] of stored) {
      const answer = await root.fetch(`/api/v1/files/${fileHash}/download`);
      expect([answer.status, digestOf(new Uint8Array(await answer.arrayBuffer()))]).toEqual([200, digest]);
    }
    console.log(`${engine}: ${stops} stops with ${stored.size} files, ${took.map(Math.round).join(', ')} ms`);
  } finally {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
