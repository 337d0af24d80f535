// Ten thousand mixed operations in three tenants, with streams that connect, disconnect and resume. The receiving side
// checks every message: each recipient is one of the intended ones, and gets all of its own messages once.
import { updateUserRole } from '@recordproof/shared/api/accounts.ts';
import { createAnnouncement, publishAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { me, type Role } from '@recordproof/shared/api/auth.ts';
import { disconnectEvents } from '@recordproof/shared/api/events.ts';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { acceptFriendRequest, sendFriendRequest, unfriend } from '@recordproof/shared/api/friends.ts';
import { sendMessage } from '@recordproof/shared/api/messages.ts';
import { createTicket, replyToTicket } from '@recordproof/shared/api/tickets.ts';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { accountOf, announce } from '../support/events.ts';
import { attempt, openDice, Participant, toLabel } from '../support/mixed-people.ts';
import { sendFile } from '../support/uploads.ts';

const operations = Number(process.env.OPERATIONS ?? 10_000);
const dice = openDice(Number(process.env.SEED ?? 7));
const tenants = ['one', 'two', 'three'];
const staff: readonly Role[] = ['user', 'user', 'user', 'user', 'admin', 'monitor'];

type World = { readonly app: TestApp; readonly people: readonly Participant[]; count: number };

async function openWorld(app: TestApp): Promise<World> {
  const people: Participant[] = [];
  for (const tenant of tenants) {
    for (const [index, role] of staff.entries()) {
      const name = `${tenant}-${role}-${index}`;
      const person = await app.person(name, { role, tenant });
      const { externalId } = await person.call(me);
      people.push(new Participant(person, tenant, role, await accountOf(app, name), externalId));
    }
  }
  return { app, people, count: 0 };
}

const ofTenant = ({ people }: World, { tenant }: Participant): readonly Participant[] =>
  people.filter(person => person.tenant === tenant);
const adminOf = (world: World, person: Participant): Participant =>
  ofTenant(world, person).find(({ role }) => role === 'admin') as Participant;

/** Mostly an account of the same tenant. */
const pickOther = (world: World, person: Participant): Participant =>
  dice.pick((dice.below(10) === 0 ? world.people : ofTenant(world, person)).filter(other => other !== person));

/** Performs an operation with the label of one account; once it succeeds, that account must get the event. */
async function doFor<T>(
  world: World,
  receiver: Participant,
  work: (label: string) => Promise<T>,
): Promise<T | undefined> {
  const number = ++world.count;
  const done = await attempt(work(toLabel(number, 'user', receiver.name)));
  if (done !== undefined) receiver.owed.push(String(number));
  return done;
}

/** Strangers get a friend request instead. */
async function write(world: World, from: Participant, to: Participant): Promise<void> {
  const send = (content: string) => from.person.call(sendMessage, { body: { receiverId: to.externalId, content } });
  if ((await doFor(world, to, send)) === undefined) await befriend(world, from, to);
}

/** Sends a new request, which needs that they are not friends; mostly it is accepted. */
async function befriend(world: World, from: Participant, to: Participant): Promise<void> {
  await attempt(from.person.call(unfriend, { params: { id: to.externalId } }));
  from.asked.add(to.externalId);
  const request = await doFor(world, to, message =>
    from.person.call(sendFriendRequest, { body: { addresseeId: to.externalId, message } }),
  );
  if (!request) return;
  // The other one had asked before: then this accepts, and no request arrives there.
  if (request.status !== 0) to.owed.pop();
  else if (dice.below(4) > 0) await attempt(to.person.call(acceptFriendRequest, { params: { id: request.id } }));
}

async function store(world: World, person: Participant): Promise<void> {
  const number = ++world.count;
  const name = `${toLabel(number, 'user', person.name)}.pdf`;
  const { status, data } = await sendFile(person.person, await pattern(300, number), name);
  if (status !== 200) return; // a monitor may not
  person.owed.push(String(number));
  person.fileHashes.push(String(data.fileHash));
}

async function share(world: World, from: Participant, to: Participant): Promise<void> {
  const [fileHash] = from.fileHashes;
  if (fileHash === undefined) return store(world, from);
  await doFor(world, to, message =>
    from.person.call(shareWithFriend, { body: { friendId: to.externalId, fileHashes: [fileHash], message } }),
  );
}

async function openTicket(world: World, person: Participant): Promise<void> {
  const ticket = await attempt(person.person.call(createTicket, { body: { title: 'Help', content: 'me' } }));
  if (!ticket) return;
  person.tickets.add(ticket.id);
  if (dice.below(2) === 0)
    await doFor(world, person, content =>
      adminOf(world, person).person.call(replyToTicket, { params: { id: ticket.id }, body: { content } }),
    );
}

async function publish(world: World, person: Participant): Promise<void> {
  const title = toLabel(++world.count, 'tenant', person.tenant);
  const { person: admin } = adminOf(world, person);
  const { id } = await admin.call(createAnnouncement, { body: { title, content: 'to all' } });
  await admin.call(publishAnnouncement, { params: { id } });
  for (const receiver of ofTenant(world, person)) receiver.owed.push(title.split(':')[0]?.slice(1) ?? '');
}

/** No feature addresses several roles at once yet. */
async function notifyRoles(world: World, person: Participant): Promise<void> {
  const roles = dice.pick([['admin'], ['monitor'], ['user'], ['admin', 'monitor']] as const);
  const label = toLabel(++world.count, 'roles', person.tenant, roles.join());
  await announce(world.app, person.account.tenantId, { kind: 'roles', roles }, label);
}

/** A notice of one tenant that names an account of another: a bug that must be contained. */
async function crossTheBorder(world: World, person: Participant): Promise<void> {
  const foreigner = dice.pick(world.people.filter(other => other.tenant !== person.tenant));
  const to = { kind: 'users', userIds: [foreigner.account.userId] } as const;
  await announce(world.app, person.account.tenantId, to, toLabel(++world.count, 'user', 'nobody'));
}

async function swapRole(world: World, person: Participant): Promise<void> {
  if (person.role === 'admin') return;
  const role = person.role === 'user' ? 'monitor' : 'user';
  const params = { id: String(person.account.userId) };
  await adminOf(world, person).person.call(updateUserRole, { params, body: { role, reason: 'mixed' } });
  person.role = role;
  await person.newSession();
}

const kinds: readonly [weight: number, work: (world: World, person: Participant) => unknown][] = [
  [500, (world, person) => write(world, person, pickOther(world, person))],
  [110, (world, person) => befriend(world, person, pickOther(world, person))],
  [60, openTicket],
  [60, (world, person) => share(world, person, pickOther(world, person))],
  [30, publish],
  [30, store],
  [50, notifyRoles],
  [30, crossTheBorder],
  [50, (_world, person) => person.openExtra(dice)],
  [50, (_world, person) => person.breakOne(dice)],
  [10, (_world, person) => person.person.call(disconnectEvents, { query: { connectionId: 'of-somebody-else' } })],
  [10, (_world, person) => person.swapSession()],
  [10, swapRole],
];
const totalWeight = kinds.reduce((sum, [weight]) => sum + weight, 0);

async function doSomething(world: World): Promise<void> {
  let die = dice.below(totalWeight);
  for (const [weight, work] of kinds) {
    die -= weight;
    if (die < 0) return void (await work(world, dice.pick(world.people)));
  }
}

test(`${operations} mixed operations: each account gets all of its own events and no other`, async () => {
  await using app = await startApp();
  const world = await openWorld(app);
  const { people } = world;
  await Promise.all(people.map(person => person.begin()));
  for (const person of people)
    for (const other of ofTenant(world, person)) if (other.name > person.name) await befriend(world, person, other);
  for (let done = 0; done < operations; done += 1) await doSomething(world);
  await app.drain();
  for (const person of people.filter(({ role }) => role === 'admin')) await publish(world, person);
  const hasAll = () => people.every(person => person.has(person.owed.at(-1) ?? ''));
  await expect.poll(hasAll, { timeout: 60_000 }).toBe(true);
  await Promise.all(people.map(person => person.end()));
  expect(people.flatMap(person => person.strange)).toEqual([]);
  for (const { name, got, owed } of people) expect(got.toSorted(), name).toEqual(owed.toSorted());
  expect(people.reduce((sum, { got }) => sum + got.length, 0)).toBeGreaterThan(operations / 3);
});
