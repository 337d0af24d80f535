// Accounts that do random operations of all kinds, and check that every event they get is meant for them.
import { logout, type Role } from '@recordproof/shared/api/auth.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { StreamMessage } from '@recordproof/shared/api/events.ts';
import { type Person, testPassword } from './app.ts';
import { type Listener, listen, listenAsBrowser } from './event-streams.ts';
import type { Account } from './events.ts';

/** Deterministic, so that a failure can be reproduced. */
export function openDice(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return { below, pick: <T>(values: readonly T[]): T => values[below(values.length)] as T };
}
export type Dice = ReturnType<typeof openDice>;

/** Part of the text of an operation, and so of its event: a label for an account, a tenant, or roles. */
export type Label = { readonly number: string; readonly kind: string; readonly name: string; readonly roles: string };

export const toLabel = (number: number, kind: 'user' | 'tenant' | 'roles', name: string, roles = ''): string =>
  `#${number}:${kind}:${name}:${roles}#`;

export function findLabel(message: StreamMessage): Label | null {
  const [, number = '', kind = '', name = '', roles = ''] =
    /#(\d+):(\w+):([\w-]+):([\w,]*)#/.exec(JSON.stringify(message.payload)) ?? [];
  return number === '' ? null : { number, kind, name, roles };
}

/** A rejected operation did not happen. */
export async function attempt<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined;
    throw error;
  }
}

export class Participant {
  readonly person: Person;
  readonly tenant: string;
  readonly account: Account;
  readonly externalId: string;
  role: Role;
  /** External ids of accounts of the same tenant with a pending friend request. */
  readonly asked = new Set<string>();
  readonly tickets = new Set<string>();
  readonly fileHashes: string[] = [];
  /** The expected labels, and those that arrived on the continuous or resumed stream, by number. */
  readonly owed: string[] = [];
  readonly got: string[] = [];
  readonly strange: string[] = [];
  readonly #extra: Listener[] = [];
  #main: Listener | undefined;
  #following = Promise.resolve();
  #isOver = false;

  constructor(person: Person, tenant: string, role: Role, account: Account, externalId: string) {
    this.person = person;
    this.tenant = tenant;
    this.role = role;
    this.account = account;
    this.externalId = externalId;
  }

  get name(): string {
    return this.person.name;
  }

  async begin(): Promise<void> {
    this.#main = await listen(this.person);
    this.#following = this.#follow(this.#main);
  }

  async #follow(first: Listener): Promise<void> {
    let [stream, roles]: [Listener, readonly Role[]] = [first, [this.role]];
    let lastEventId = '0';
    for (;;) {
      await stream.closed;
      lastEventId = stream.ids.at(-1) ?? lastEventId;
      for (const message of stream.messages) {
        this.#judge(message, roles);
        const label = findLabel(message);
        if (label && label.kind !== 'roles') this.got.push(label.number);
      }
      if (this.#isOver) return;
      const before = this.role;
      stream = await this.#comeBack(lastEventId);
      roles = [before, this.role]; // whichever stream it was at the start
      this.#main = stream;
    }
  }

  /** While the session changes there is none for a short time. */
  async #comeBack(lastEventId: string): Promise<Listener> {
    for (;;) {
      const stream = await listen(this.person, { query: { lastEventId } }).catch(() => undefined);
      if (stream) return stream;
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  }

  /** Records a message that is meant for another account. */
  #judge(message: StreamMessage, roles: readonly Role[]): void {
    const isMine = this.#isByLabel(findLabel(message), roles) && this.#isByIds(message, roles);
    if (!isMine) this.strange.push(`${this.name} (${roles.join()}) got ${JSON.stringify(message)}`);
  }

  #isByLabel(label: Label | null, roles: readonly Role[]): boolean {
    if (label === null) return true;
    if (label.kind === 'user') return label.name === this.name;
    const isForRole = label.kind === 'tenant' || label.roles.split(',').some(role => roles.includes(role as Role));
    return label.name === this.tenant && isForRole;
  }

  /** A message without our text names an object that we know of. */
  #isByIds({ type, payload }: StreamMessage, roles: readonly Role[]): boolean {
    if (type === 'friend-accepted') return this.asked.has(payload.friendId);
    if (type !== 'ticket-updated') return true;
    return this.tickets.has(payload.ticketId) || roles.includes('admin');
  }

  async openExtra(dice: Dice): Promise<void> {
    const query = dice.below(2) === 0 ? {} : { lastEventId: String(dice.below(3000)) };
    const roles = [this.role];
    const stream = await (dice.below(2) === 0 ? listen : listenAsBrowser)(this.person, { query });
    this.#extra.push(stream);
    void stream.closed.then(() => {
      for (const message of stream.messages) this.#judge(message, roles);
    });
  }

  /** Breaks the connection: of the continuous stream, or of another. */
  breakOne(dice: Dice): void {
    const stream = dice.below(2) === 0 ? this.#main : this.#extra.shift();
    stream?.[Symbol.dispose]();
  }

  async newSession(): Promise<void> {
    await this.person.login(`${this.tenant}/${this.name}`, testPassword);
  }

  async swapSession(): Promise<void> {
    const old = this.person.token ?? '';
    await this.newSession();
    await this.person.fetch(logout.path, { method: 'POST', headers: { authorization: `Bearer ${old}` } });
  }

  has(number: string): boolean {
    return this.#main?.messages.some(message => findLabel(message)?.number === number) ?? false;
  }

  /** Call when all expected events have arrived. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#main?.[Symbol.dispose]();
    await this.#following;
    for (const stream of this.#extra) stream[Symbol.dispose]();
    await Promise.all(this.#extra.map(stream => stream.closed));
  }
}
