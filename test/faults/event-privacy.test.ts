// Ten thousand mixed operations in three tenants, with streams that come, go and come back. The receiving side looks at
// every message: it says for whom it is, and whoever gets it must be among them; and each gets all of its own, once.
import { updateUserRole } from '@recordproof/shared/api/accounts.ts';
import { logout, type Role } from '@recordproof/shared/api/auth.ts';
import { disconnectEvents, type StreamMessage } from '@recordproof/shared/api/events.ts';
import { expect, test } from 'vitest';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { type Listener, listen, listenAsBrowser } from '../support/event-streams.ts';
import { type Account, accountOf, announce } from '../support/events.ts';
import { sendFile } from '../support/uploads.ts';

const operations = Number(process.env.OPERATIONS ?? 10_000);
const tenants = ['one', 'two', 'three'];
const staff: readonly Role[] = ['user', 'user', 'user', 'user', 'admin', 'monitor'];

/** Repeats itself, so that a failure can be looked at again. */
function openDice(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, pick: <T>(values: readonly T[]): T => values[below(values.length)] as T };
}
const dice = openDice(Number(process.env.SEED ?? 7));

/** What a message says of those it is for. */
type Label = {
  readonly n: number;
  readonly tenant: number;
  readonly users?: readonly number[];
  readonly roles?: readonly Role[];
};

class Participant {
  readonly name: string;
  readonly tenantName: string;
  readonly person: Person;
  readonly account: Account;
  role: Role;
  /** Of the stream that is always there, or comes back: what it got, by number. */
  readonly got: number[] = [];
  readonly files: string[] = [];
  readonly extra: Listener[] = [];
  strange: string[] = [];
  #main: Listener | undefined;
  #following = Promise.resolve();
  #isOver = false;

  constructor(person: Person, tenantName: string, role: Role, account: Account) {
    this.name = person.name;
    this.person = person;
    this.tenantName = tenantName;
    this.role = role;
    this.account = account;
  }

  async begin(): Promise<void> {
    const first = await listen(this.person);
    this.#main = first;
    this.#following = this.#follow(first, [this.role]);
  }

  async #follow(first: Listener, firstRoles: readonly Role[]): Promise<void> {
    let [stream, roles] = [first, firstRoles];
    let lastEventId = '0';
    for (;;) {
      await stream.closed;
      lastEventId = stream.ids.at(-1) ?? lastEventId;
      this.#keep(stream, roles);
      if (this.#isOver) return;
      const before = this.role;
      stream = await this.#comeBack(lastEventId);
      roles = [before, this.role]; // whichever it was when the stream began
      this.#main = stream;
    }
  }

  /** While the session changes there is a moment without one. */
  async #comeBack(lastEventId: string): Promise<Listener> {
    for (;;) {
      const stream = await listen(this.person, { query: { lastEventId } }).catch(() => undefined);
      if (stream) return stream;
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  }

  #keep(stream: Listener, roles: readonly Role[]): void {
    for (const message of stream.messages) {
      const label = this.judge(message, roles);
      if (label && !label.roles) this.got.push(label.n);
      if (message.type === 'file-recorded') this.files.push(message.payload.fileName);
    }
  }

  /** Notes a message that is for somebody else. */
  judge(message: StreamMessage, roles: readonly Role[]): Label | null {
    if (message.type === 'file-recorded' && !message.payload.fileName.startsWith(`${this.name}-`))
      this.strange.push(JSON.stringify(message));
    if (message.type !== 'announcement-published') return null;
    const label = JSON.parse(message.payload.title) as Label;
    const isMine =
      label.tenant === this.account.tenantId &&
      (label.users?.includes(this.account.userId) ?? true) &&
      (label.roles?.some(role => roles.includes(role)) ?? true);
    if (!isMine) this.strange.push(`${this.name} (${roles.join()}) got ${message.payload.title}`);
    return label;
  }

  async openExtra(): Promise<void> {
    const query = dice.below(2) === 0 ? {} : { lastEventId: String(dice.below(3000)) };
    const roles = [this.role];
    const stream = await (dice.below(2) === 0 ? listen : listenAsBrowser)(this.person, { query });
    this.extra.push(stream);
    void stream.closed.then(() => {
      for (const message of stream.messages) this.judge(message, roles);
    });
  }

  /** The connection breaks: the stream that is always there, or another. */
  breakOne(): void {
    const stream = dice.below(2) === 0 ? this.#main : this.extra.shift();
    stream?.[Symbol.dispose]();
  }

  async newSession(): Promise<void> {
    await this.person.login(`${this.tenantName}/${this.name}`, testPassword);
  }

  /** Resolves when the stream that is always there has had this number. */
  async end(isAll: () => boolean): Promise<void> {
    await expect
      .poll(() => this.#main?.messages.some(({ type }) => type === 'announcement-published') && isAll(), {
        timeout: 60_000,
      })
      .toBe(true);
    this.#isOver = true;
    this.#main?.[Symbol.dispose]();
    await this.#following;
    for (const stream of this.extra) stream[Symbol.dispose]();
    await Promise.all(this.extra.map(stream => stream.closed));
  }

  has(n: number): boolean {
    return this.#main?.messages.some(message => JSON.stringify(message).includes(`{\\"n\\":${n},`)) ?? false;
  }
}

async function makePeople(app: TestApp): Promise<Participant[]> {
  const people: Participant[] = [];
  for (const tenant of tenants) {
    for (const [index, role] of staff.entries()) {
      const name = `${tenant}-${role}-${index}`;
      const person = await app.person(name, { role, tenant });
      people.push(new Participant(person, tenant, role, await accountOf(app, name)));
    }
  }
  return people;
}

type World = {
  readonly app: TestApp;
  readonly people: readonly Participant[];
  /** What each person must have got of what is for accounts and tenants. */
  readonly owed: Map<Participant, number[]>;
  readonly files: Map<Participant, string[]>;
  count: number;
};

async function say(world: World, { account }: Participant, audience: Omit<Label, 'n' | 'tenant'>): Promise<number> {
  const label: Label = { n: ++world.count, tenant: account.tenantId, ...audience };
  const to =
    label.users !== undefined
      ? ({ kind: 'users', userIds: label.users } as const)
      : label.roles !== undefined
        ? ({ kind: 'roles', roles: label.roles } as const)
        : ({ kind: 'tenant' } as const);
  await announce(world.app, account.tenantId, to, JSON.stringify(label));
  if (label.roles) return label.n;
  for (const person of world.people) {
    const isOwed = person.account.tenantId === label.tenant && (label.users?.includes(person.account.userId) ?? true);
    if (isOwed) world.owed.get(person)?.push(label.n);
  }
  return label.n;
}

const userIdsOf = (people: readonly Participant[]): number[] =>
  Array.from({ length: 1 + dice.below(3) }, () => dice.pick(people).account.userId);

async function swapRole(world: World, person: Participant): Promise<void> {
  if (person.role === 'admin') return;
  const boss = world.people.find(other => other.role === 'admin' && other.tenantName === person.tenantName);
  const role = person.role === 'user' ? 'monitor' : 'user';
  const params = { id: String(person.account.userId) };
  await boss?.person.call(updateUserRole, { params, body: { role, reason: 'mixed' } });
  person.role = role;
  await person.newSession();
}

async function swapSession(person: Participant): Promise<void> {
  const old = person.person.token ?? '';
  await person.newSession();
  await person.person.fetch(logout.path, { method: 'POST', headers: { authorization: `Bearer ${old}` } });
}

async function storeFile(world: World, person: Participant): Promise<void> {
  const name = `${person.name}-${++world.count}.pdf`;
  const { status } = await sendFile(person.person, await pattern(300, world.count), name);
  if (status === 200) world.files.get(person)?.push(name); // a monitor may not
}

async function doSomething(world: World): Promise<unknown> {
  const { people } = world;
  const person = dice.pick(people);
  const own = people.filter(({ tenantName }) => tenantName === person.tenantName);
  const die = dice.below(1000);
  if (die < 700) return say(world, person, { users: userIdsOf(own) });
  if (die < 730) return say(world, person, { users: userIdsOf(people) }); // of other tenants too: a mistake of ours
  if (die < 800) return say(world, person, { roles: [dice.pick(['admin', 'monitor', 'user'] as const)] });
  if (die < 870) return say(world, person, {});
  if (die < 910) return person.openExtra();
  if (die < 950) return person.breakOne();
  if (die < 970) return storeFile(world, person);
  if (die < 980) return person.person.call(disconnectEvents, { query: { connectionId: 'of-somebody-else' } });
  return die < 990 ? swapSession(person) : swapRole(world, person);
}

test(`in ${operations} mixed operations no event reaches another account or tenant, and each gets all of its own`, async () => {
  await using app = await startApp();
  const people = await makePeople(app);
  const empty = <T>() => new Map(people.map(person => [person, [] as T[]]));
  const world: World = { app, people, owed: empty<number>(), files: empty<string>(), count: 0 };
  await Promise.all(people.map(person => person.begin()));
  for (let done = 0; done < operations; done += 1) await doSomething(world);
  await app.drain();
  const last = new Map<string, number>();
  for (const person of people.filter(({ role }) => role === 'admin'))
    last.set(person.tenantName, await say(world, person, {}));
  await Promise.all(people.map(person => person.end(() => person.has(last.get(person.tenantName) ?? 0))));
  expect(people.flatMap(person => person.strange)).toEqual([]);
  for (const person of people) {
    expect(
      person.got.toSorted((a, b) => a - b),
      person.name,
    ).toEqual(world.owed.get(person));
    expect(person.files.toSorted(), person.name).toEqual(world.files.get(person)?.toSorted());
  }
  expect(people.reduce((sum, { got }) => sum + got.length, 0)).toBeGreaterThan(operations);
});
