// Messages between the servers of one installation about event streams. They are neither secret nor durable: a lost
// message costs at most the seconds until the next poll.
import type { Cluster } from '../../platform/cluster/cluster.ts';
import type { Key, Time } from '../../platform/db/tables.ts';
import { newTokenId } from '../../platform/ids.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import type { Log } from '../../platform/telemetry/log.ts';

type Person = { readonly tenantId: Key; readonly userId: Key };

/**
 * `news`: the tenant has new events. `sessions`: sessions of the user, or of the tenant, have ended. `passing`: a
 * message that is not stored.
 */
export type Word =
  | { readonly kind: 'news'; readonly tenantId: Key }
  | { readonly kind: 'sessions'; readonly tenantId: Key; readonly userId: Key | null }
  | ({ readonly kind: 'passing'; readonly frame: string; readonly type?: string; readonly payload?: string } & Person)
  | ({
      readonly kind: 'end';
      readonly reason: 'replaced' | 'disconnected';
      readonly connectionIds?: string[];
    } & Person);

/** An open stream of a user, on any server. */
type HeldStream = { readonly connectionId: string; readonly openedAt: Time };

type Question = { readonly kind: 'question'; readonly id: number; readonly replyTo: string } & Person;
type Answer = { readonly id: number; readonly held: readonly HeldStream[] };

type BusOptions = {
  readonly cluster: Pick<Cluster, 'publish' | 'subscribe'>;
  readonly log: Log;
  readonly hear: (word: Word) => void;
  /** Called when messages may have been lost. */
  readonly onGap: () => void;
  readonly listHeld: (person: Person) => readonly HeldStream[];
};

const channel = 'events';
const answerLimitMs = 1000;

export class ServerBus implements AsyncDisposable {
  readonly #options: BusOptions;
  readonly #ownChannel = `${channel}:${newTokenId()}`;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  readonly #ending = new AsyncDisposableStack();
  #questions = 0;
  #isAlone = false;

  constructor(options: BusOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { cluster, onGap } = this.#options;
    const ends = [
      await cluster.subscribe(channel, message => this.#receive(JSON.parse(message)), onGap),
      await cluster.subscribe(this.#ownChannel, message => this.#take(JSON.parse(message))),
    ];
    for (const end of ends) this.#ending.defer(end);
  }

  /** Delivered to this server at once, even when the others are unreachable. */
  broadcast(word: Word): void {
    this.#options.hear(word);
    void this.#publish(channel, { ...word, from: this.#ownChannel });
  }

  /** The streams of a user on all reachable servers. */
  async listStreams(person: Person): Promise<HeldStream[]> {
    const found = new Map(this.#options.listHeld(person).map(stream => [stream.connectionId, stream]));
    const id = this.#questions++;
    const everybody = Promise.withResolvers<void>();
    let expected = Number.POSITIVE_INFINITY;
    let answered = 0;
    this.#pending.set(id, ({ held }) => {
      for (const stream of held) found.set(stream.connectionId, stream);
      answered += 1;
      if (answered >= expected) everybody.resolve();
    });
    const timer = setTimeout(everybody.resolve, answerLimitMs);
    const question: Question = { kind: 'question', id, replyTo: this.#ownChannel, ...person };
    expected = await this.#publish(channel, question);
    if (answered < expected) await everybody.promise;
    clearTimeout(timer);
    this.#pending.delete(id);
    return [...found.values()];
  }

  #receive(message: (Word & { readonly from: string }) | Question): void {
    if (message.kind !== 'question') {
      if (message.from !== this.#ownChannel) this.#options.hear(message);
      return;
    }
    const { id, replyTo, tenantId, userId } = message;
    const held = this.#options.listHeld({ tenantId, userId });
    void this.#publish(replyTo, { id, held } satisfies Answer);
  }

  #take(answer: Answer): void {
    this.#pending.get(answer.id)?.(answer);
  }

  /** Returns how many servers received it; none while the cluster is unreachable. */
  async #publish(to: string, message: object): Promise<number> {
    const { cluster, log } = this.#options;
    if (this.#ending.disposed) return 0;
    try {
      const receivers = await cluster.publish(to, JSON.stringify(message));
      if (this.#isAlone) log.info({}, 'event streams receive events of other servers through Redis again');
      this.#isAlone = false;
      return receivers;
    } catch (error) {
      const reason = toErrorText(error);
      if (!this.#isAlone)
        log.warn(
          { reason },
          'event streams poll for events of other servers every few seconds until Redis is available again',
        );
      this.#isAlone = true;
      return 0;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ending[Symbol.asyncDispose]();
  }
}
