// Repeated loss of every PostgreSQL connection during uploads: every answer is true, never 500, and a retry with the
// same key learns the result.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type Person, startApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { checkEverything } from '../support/check-everything.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { type Answer, digestOf, sendRepeatable } from '../support/uploads.ts';

afterAll(stopPostgres);

const rounds = 14;
const perRound = 5;

async function sendUntilAnswered(person: Person, key: string, bytes: Uint8Array, statuses: number[]): Promise<Answer> {
  for (;;) {
    const answer = await sendRepeatable(person, key, bytes);
    statuses.push(answer.status);
    if (answer.status === 200) return answer as unknown as Answer;
    expect(answer, key).toMatchObject({ status: 503 });
    expect(answer.message).not.toContain('nothing was changed');
  }
}

test('uploads with lost responses are completed once by sending them again', async () => {
  const { url } = await (await postgres()).freshDatabase();
  await using app = await startApp({ env: { DATABASE_URL: url } });
  const alice = await app.person('alice');
  const passing = setInterval(() => app.clock.advance(1000), 50); // leases end although the test's clock does not move
  const breaker = new pg.Client({ connectionString: url });
  await breaker.connect();
  const statuses: number[] = [];
  const answers: Answer[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const sending = Array.from({ length: perRound }, async (_, index) => {
      const bytes = await pattern(20_000, round * perRound + index);
      const answer = await sendUntilAnswered(alice, `file-${round}-${index}`, bytes, statuses);
      expect(answer.data.contentHash).toBe(digestOf(bytes));
      return answer;
    });
    await delay(10 + 15 * round); // at a different time in each round
    await breaker.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    answers.push(...(await Promise.all(sending)));
    app.clock.advance(120_000); // leases of interrupted work
    // The first query may still get one of the broken connections.
    await expect.poll(() => app.drain().then(() => 'drained', String), { timeout: 120_000 }).toBe('drained');
  }
  clearInterval(passing);
  await breaker.end();
  expect(new Set(answers.map(({ data }) => data.fileId)).size).toBe(rounds * perRound);
  const files = await app.app.database.db.selectFrom('file').select('id').where('status', '=', 1).execute();
  expect(files).toHaveLength(rounds * perRound);
  expect(statuses).toContain(503); // else no connection was broken
  const open = app.app.database.db.selectFrom('saga').select(['kind', 'status', 'step']).where('ended_at', 'is', null);
  expect(await open.execute()).toEqual([]);
  app.clock.advance(50 * 3600_000);
  for (let day = 0; day < 3; day += 1) {
    await app.drain();
    app.clock.advance(25 * 3600_000);
  }
  await checkEverything(app);
}, 240_000);
