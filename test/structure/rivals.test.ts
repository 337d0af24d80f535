// Races of every writing call, made six times concurrently: each is answered, none with a 500, and the resulting state
// is consistent. On PostgreSQL, where transactions really run in parallel.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listEndpoints } from '../../scripts/routes.ts';
import type { Person } from '../support/app.ts';
import { ask } from '../support/authorization/ask.ts';
import { entries } from '../support/authorization/entries.ts';
import type { Entry, Question } from '../support/authorization/entry.ts';
import { everyone, openWorld, type World } from '../support/authorization/world.ts';
import { checkEverything } from '../support/check-everything.ts';

const rivals = 6;
let world: World;

beforeAll(async () => {
  world = await openWorld('postgres');
});
afterAll(() => world?.[Symbol.asyncDispose]());

const writing = (await listEndpoints()).filter(({ name, method }) => method !== 'GET' && entries[name] !== undefined);

/** An account that makes the call, and the call. */
async function prepare(entry: Entry): Promise<[Person, Question]> {
  if (entry.kind === 'about') {
    const who = everyone.find(one => entry.knows[one] === 'done') ?? 'owner';
    return [world.people[who], await entry.make(world.home, world)];
  }
  const person = await world.spare('administrator');
  return [person, await entry.ask(person, world)];
}

const cases = writing.flatMap(endpoint =>
  [entries[endpoint.name] ?? []]
    .flat()
    .map((entry, index) => [`${endpoint.name} ${index + 1}`, endpoint, entry] as const),
);

test.each(cases)('%s', { timeout: 60_000 }, async (_name, endpoint: AnyEndpoint, entry: Entry) => {
  const [person, question] = await prepare(entry);
  const replies = await Promise.all(Array.from({ length: rivals }, () => ask(person, endpoint, question)));
  const broken = replies.filter(({ status }) => status >= 500);
  expect(broken).toEqual([]);
});

test('the data is consistent after all concurrent requests', { timeout: 60_000 }, async () => {
  await world.app.drain();
  await checkEverything(world.app);
});
