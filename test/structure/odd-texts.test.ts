// Hostile texts never cause a 500: every text field of every endpoint, one at a time, with NUL, with half a surrogate
// pair, and with special characters of SQL, patterns and paths. On PostgreSQL, which is the stricter database.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listEndpoints } from '../../scripts/routes.ts';
import type { Person } from '../support/app.ts';
import { ask, type Reply } from '../support/authorization/ask.ts';
import { entries } from '../support/authorization/entries.ts';
import type { Question } from '../support/authorization/entry.ts';
import { expectedAccess, openWorld, type World } from '../support/authorization/world.ts';

const unstorable = ['a\0b', '\0', 'a\ud800b'];
const odd = ['%', '_', '\\', "'; --", '$1', '{{}}', '../..', '٠', '\u202e', '🙂', '\ufeff', 'a'.repeat(5000)];

let world: World;
beforeAll(async () => {
  world = await openWorld('postgres');
});
afterAll(() => world?.[Symbol.asyncDispose]());

const served = (await listEndpoints()).filter(({ name }) => entries[name] !== undefined);

/** The names of the fields that a schema has, one level down. */
const namesOf = (schema: z.ZodType | undefined): string[] =>
  schema === undefined
    ? []
    : Object.keys((z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {}) as object);

/** A valid request of the endpoint, into which one hostile text is put. */
async function rightQuestion({ name }: AnyEndpoint): Promise<Question> {
  const entry = [entries[name] ?? []].flat()[0];
  if (entry === undefined) throw new Error(`${name} has no entry`);
  return entry.kind === 'own' ? entry.ask(await world.spare('administrator'), world) : entry.nonsense(world);
}

/** One request for each of its text fields, with that field replaced by this text. */
function* spoil(endpoint: AnyEndpoint, right: Question, text: string): Generator<[where: string, Question]> {
  for (const [, name = ''] of endpoint.path.matchAll(/\{(\w+)\}/g))
    yield [`path ${name}`, { ...right, params: { ...right.params, [name]: text } }];
  if (endpoint.path.endsWith('**'))
    yield ['path', { ...right, params: { path: encodeURIComponent(toWritable(text)) } }];
  for (const name of namesOf(endpoint.query))
    yield [`query ${name}`, { ...right, query: { ...right.query, [name]: text } }];
  for (const form of ['json', 'fields'] as const) {
    const body = right[form] as Record<string, string> | undefined;
    if (body === undefined) continue;
    for (const name of namesOf(endpoint.body))
      yield [`${form} ${name}`, { ...right, [form]: { ...body, [name]: text } }];
  }
}

/** Half a surrogate pair cannot be encoded in an address. */
const toWritable = (text: string): string => text.toWellFormed();

/** The joined texts are long enough for a new password, which ends the sessions of its account. */
function callerOf({ name }: AnyEndpoint): Promise<Person> | Person {
  const entry = [entries[name] ?? []].flat()[0];
  return entry?.kind === 'own' && entry.spoils ? world.spare('administrator') : world.people.administrator;
}

async function askSpoilt(endpoint: AnyEndpoint, question: Question): Promise<Reply> {
  const params = Object.entries(question.params ?? {}).map(([name, text]) => [name, toWritable(text)]);
  return ask(await callerOf(endpoint), endpoint, { ...question, params: Object.fromEntries(params) });
}

const isReachable = ({ access }: AnyEndpoint): boolean => expectedAccess(access, 'administrator') === 'in';

/** Short texts together, and the long one: what one of them breaks, the others may hide, so each is also tested alone. */
const together = [odd.slice(0, -1).join(''), odd.at(-1) ?? ''];

async function expectNoFailure(endpoint: AnyEndpoint, texts: readonly string[]): Promise<void> {
  const right = await rightQuestion(endpoint);
  for (const text of texts) {
    for (const [where, question] of spoil(endpoint, right, text)) {
      const { status, body } = await askSpoilt(endpoint, question);
      const about = `${JSON.stringify(text.slice(0, 20))} in ${where}: ${status} ${body.slice(0, 200)}`;
      expect(status, about).toBeLessThan(500);
      if (text.includes('\0') && isReachable(endpoint)) expect(status, about).toBeGreaterThanOrEqual(400);
    }
  }
}

describe.each(served.map(endpoint => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_, endpoint) => {
    test('unstorable texts are rejected, and no text causes a server error', { timeout: 120_000 }, () =>
      expectNoFailure(endpoint, [...unstorable, ...together]),
    );
    test('no unusual text causes a server error by itself', { tags: 'long', timeout: 120_000 }, () =>
      expectNoFailure(endpoint, odd),
    );
  },
);
