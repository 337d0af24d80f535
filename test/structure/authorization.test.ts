// The authorization matrix, for every endpoint of routes.txt: each kind of account requests objects of the owner, of
// another tenant, and objects that never existed. Objects that the account may not know of are answered as if they did
// not exist, to the last byte and header, and nothing is written.
import { readFileSync } from 'node:fs';
import { me } from '@recordproof/shared/api/auth.ts';
import type { Access } from '@recordproof/shared/api/endpoint.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listEndpoints, routesFile } from '../../scripts/routes.ts';
import { type Address, ask, type Reply, withoutInput } from '../support/authorization/ask.ts';
import { entries } from '../support/authorization/entries.ts';
import { type Entry, own, type Question } from '../support/authorization/entry.ts';
import * as things from '../support/authorization/fixtures.ts';
import { type RowWatch, watchRows } from '../support/authorization/row-watch.ts';
import {
  everyone,
  expectedAccess,
  openWorld,
  type Side,
  type Who,
  type World,
} from '../support/authorization/world.ts';

type RouteLine = Address & { readonly access: Access };

const routes: readonly RouteLine[] = readFileSync(routesFile, 'utf8')
  .split('\n')
  .filter(line => line !== '')
  .map(line => {
    const [call = '', , access = ''] = line.split('→').map(part => part.trim());
    const [method = '', path = ''] = call.split(' ');
    return { method, path, access } as RouteLine;
  });

const endpoints = await listEndpoints();
const nameByCall = new Map<string, string>(
  endpoints.flatMap(({ name, method, path, aliases }) =>
    [path, ...aliases].map(one => [`${method} ${one}`, name] as const),
  ),
);
const toCall = ({ method, path }: Address): string => `${method} ${path}`;
const nameOf = (route: Address): string => nameByCall.get(toCall(route)) ?? '';
/** Endpoints without input can be called in one way only, and need no entry. */
const takingNothing = new Set(
  endpoints.filter(({ params, query, body }) => !params && !query && !body).map(({ name }) => name),
);
const entriesOf = (name: string): readonly Entry[] => [entries[name] ?? own()].flat();

let world: World;
let rows: RowWatch;

beforeAll(async () => {
  world = await openWorld();
  rows = watchRows(world.app);
  for (const side of [world.home, world.away]) {
    for (const kind of [things.file, things.proxiedUpload, things.ticket, things.draft]) await kind.make(side, world);
    await things.publishedAnnouncement.make(side, world);
  }
});
afterAll(async () => {
  rows?.[Symbol.dispose]();
  await world?.[Symbol.asyncDispose]();
});

test('every served endpoint with input has an entry in test/support/authorization/entries.ts', () => {
  const served = new Set(routes.map(nameOf));
  expect([...served].filter(name => !takingNothing.has(name) && entries[name] === undefined)).toEqual([]);
  expect(Object.keys(entries).filter(name => !served.has(name))).toEqual([]);
});

test('the row check reports writes, and reports nothing after a read', async () => {
  await rows.waitUntilQuiet();
  await things.ticket.make(world.home, world);
  expect(rows.hasChanged()).toBe(true);
  await rows.waitUntilQuiet();
  await world.people.owner.call(me);
  expect(rows.hasChanged()).toBe(false);
});

/** The audit log names objects of all accounts of the tenant, and monitors read it. */
const mayReadPrivate = (who: Who, { access }: RouteLine): boolean =>
  who === 'owner' || who === 'administrator' || (who === 'monitor' && access === 'system:audit');

/** Only the owner and administrators of the tenant read the mark of private objects. */
async function askAs(who: Who, route: RouteLine, question: Question, person = world.people[who]): Promise<Reply> {
  const reply = await ask(person, route, question);
  if (!mayReadPrivate(who, route)) expect(reply.body, `${who} reads`).not.toContain(world.home.mark);
  if (who !== 'administrator of another tenant') expect(reply.body, `${who} reads`).not.toContain(world.away.mark);
  return reply;
}

const isDone = ({ status }: Reply): boolean => status >= 200 && status < 300;
const statusOverHttp = { unknown: 401, forbidden: 403 } as const;

/**
 * The reply, with a check that nothing was written. A schedule may come due beside one call; a call that writes does so
 * each time.
 */
async function askUnwritten(who: Who, put: () => Promise<Reply>): Promise<Reply> {
  for (let triesLeft = 2; ; triesLeft--) {
    await rows.waitUntilQuiet();
    const reply = await put();
    if (!rows.hasChanged()) return reply;
    if (triesLeft === 0) throw new Error(`${who} wrote something`);
  }
}

async function checkOwn(route: RouteLine, entry: Extract<Entry, { kind: 'own' }>): Promise<void> {
  for (const who of everyone) {
    const person = entry.spoils ? await world.spare(who) : world.people[who];
    const question = await entry.ask(person, world);
    const put = () => askAs(who, route, question, person);
    const outcome = expectedAccess(route.access, who);
    const reply = outcome === 'in' ? await put() : await askUnwritten(who, put);
    const expected = outcome === 'in' ? entry.status : statusOverHttp[outcome];
    expect({ who, status: reply.status }, reply.body.slice(0, 200)).toEqual({ who, status: expected });
  }
}

type About = Extract<Entry, { kind: 'about' }>;

/** The reply about an object that never existed, once for each caller where attempts leave no trace. */
function openMissing(route: RouteLine, entry: About): (who: Who) => Promise<Reply> {
  const known = new Map<Who, Reply>();
  return async who => {
    const question = await entry.nonsense(world);
    const reply = known.get(who) ?? withoutInput(await askAs(who, route, question), question);
    if (!entry.writes) known.set(who, reply);
    return reply;
  };
}

type Asked = { readonly who: Who; readonly question: Question; readonly missing: Reply };

/** Neither the reply nor its traces reveal anything about the object. */
async function expectNothing(route: RouteLine, entry: About, { who, question, missing }: Asked): Promise<void> {
  const put = () => askAs(who, route, question);
  const reply = entry.writes ? await put() : await askUnwritten(who, put);
  expect({ who, ...withoutInput(reply, question) }).toEqual({ who, ...missing });
  const outcome = expectedAccess(route.access, who);
  if (outcome !== 'in') expect({ who, status: missing.status }).toEqual({ who, status: statusOverHttp[outcome] });
}

async function expectKnown(route: RouteLine, entry: About, { who, question, missing }: Asked): Promise<void> {
  const reply = await askAs(who, route, question);
  expect({ who, done: isDone(reply) }, reply.body.slice(0, 200)).toEqual({ who, done: entry.knows[who] === 'done' });
  if (!entry.writes) expect({ who, ...withoutInput(reply, question) }).not.toEqual({ who, ...missing });
}

/** One shared object for calls that change nothing; one each for the others. */
async function makerOf(entry: About, side: Side): Promise<() => Promise<Question>> {
  if (entry.writes) return () => entry.make(side, world);
  const shared = await entry.make(side, world);
  return async () => shared;
}

/** Objects of the other tenant do not exist here, unless they are public, or the caller belongs to no tenant. */
function isKnownFromElsewhere({ knows }: About, who: Who): boolean {
  if (who === 'administrator of another tenant' || knows['administrator of another tenant'] !== undefined) return true;
  return (who === 'anonymous' || who === 'revoked token') && knows[who] !== undefined;
}

async function checkAbout(route: RouteLine, entry: About): Promise<void> {
  const theirs = await makerOf(entry, world.home);
  const foreign = await makerOf(entry, world.away);
  const missingFor = openMissing(route, entry);
  const prepare = async (who: Who, make: () => Promise<Question>): Promise<Asked> => ({
    who,
    question: await make(),
    missing: await missingFor(who),
  });
  for (const who of everyone) {
    const isKnown = entry.knows[who] !== undefined && expectedAccess(route.access, who) === 'in';
    if (!isKnown) await expectNothing(route, entry, await prepare(who, theirs));
    if (!isKnownFromElsewhere(entry, who)) await expectNothing(route, entry, await prepare(who, foreign));
  }
  for (const who of everyone) {
    if (entry.knows[who] === undefined) continue;
    await expectKnown(route, entry, await prepare(who, () => entry.make(world.home, world)));
  }
}

test.each(routes.map(route => [toCall(route), route] as const))('%s', async (_call, route) => {
  for (const entry of entriesOf(nameOf(route))) {
    if (entry.kind === 'own') await checkOwn(route, entry);
    else await checkAbout(route, entry);
  }
});
