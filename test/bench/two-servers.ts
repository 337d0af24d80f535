// Benchmark of two servers on one PostgreSQL and one Redis against one of them, on the same cores and under the same
// load, in turns: the cost of a second server without a second machine.
//   node test/bench/two-servers.ts [rounds] [seconds] [connections]
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { login } from '@recordproof/shared/api/auth.ts';
import { openClient } from '@recordproof/shared/api/client.ts';
import { canMeasure, inTurns, printFigures } from '../support/bench-figures.ts';
import { startBenchServer } from '../support/bench-server.ts';
import { pattern } from '../support/bytes.ts';
import { postgresPrograms, startPostgres, unsafeButFast } from '../support/postgres.ts';
import { redisProgram, startRedis } from '../support/redis.ts';
import { sendFile } from '../support/uploads.ts';

const [rounds = 5, seconds = 3, connections = 16] = process.argv.slice(2).map(Number);
if (!canMeasure('two servers', redisProgram, ...postgresPrograms)) process.exit();
const files = 200;
const paths = { 'who am I': '/api/v1/auth/me', 'list of files': '/api/v1/files?size=20' };

/** Requests per second of all servers together; each lane stays with one server. */
async function load(urls: readonly string[], path: string, token: string): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const headers = { authorization: `Bearer ${token}` };
  let answered = 0;
  const lane = async (_: unknown, at: number) => {
    const url = `${urls[at % urls.length]}${path}`;
    while (performance.now() < until) {
      const response = await fetch(url, { headers });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return answered / seconds;
}

const folder = await mkdtemp(join(tmpdir(), 'recordproof-bench-'));
try {
  await using postgres = await startPostgres(unsafeButFast);
  await using redis = await startRedis();
  const env = { DATABASE_URL: (await postgres.freshDatabase()).url, REDIS_URL: redis.url };
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const { server: one, alice } = await startBenchServer(first, env);
  await using _one = one;
  await mkdir(second);
  await cp(join(first, 'keys'), join(second, 'keys'), { recursive: true });
  const { server: other } = await startBenchServer(second, env);
  await using _other = other;
  for (let seed = 1; seed <= files; seed += 1) await sendFile(alice, await pattern(1000, seed));
  const body = { username: 'alice', password: 'correct horse battery' };
  const { token } = await openClient({ baseUrl: one.url }).call(login, { body });
  for (const [name, path] of Object.entries(paths)) {
    for (const url of [one.url, other.url]) await load([url], path, token); // warm-up
    const rates = await inTurns(rounds, {
      one: () => load([one.url], path, token),
      two: () => load([one.url, other.url], path, token),
    });
    const references = { 'one server': rates.one };
    printFigures(name, [{ name: 'two servers', unit: 'requests/s', samples: rates.two, references }]);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
