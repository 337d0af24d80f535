// Transfers of the other tabs of this browser. Each tab sends its list over a BroadcastChannel when it changes and
// when a new tab asks; a closing tab announces it, and a crashed one is detected by the lock that it held.
import { z } from 'zod';
import type { Watched } from '../bridge.ts';
import { openWatched } from '../watched.ts';

type Item = {
  readonly id: string;
  readonly state: { readonly kind: string };
  readonly elsewhere?: boolean | undefined;
};

type Parts<T> = {
  readonly name: string;
  readonly item: z.ZodType<T>;
  readonly own: Watched<readonly T[]>;
  /** Only tabs of the same person show each other's transfers. */
  readonly owner: () => string | undefined;
};

const sendEveryMs = 250;
const mostSent = 300;

/**
 * The own transfers, and those of other tabs, marked as such. A transfer that another tab runs is shown in the state
 * that it has there.
 */
export const withOtherTabs = <T extends Item>(parts: Parts<T>): Watched<readonly T[]> => new OtherTabs(parts).shown;

const isActive = ({ state }: Item): boolean => state.kind === 'running' || state.kind === 'waiting';
const isHeld = ({ state }: Item): boolean => state.kind !== 'needs-file';
const lockOf = (tab: string): string => `recordproof-tab-${tab}`;

class OtherTabs<T extends Item> {
  readonly shown;
  readonly #parts: Parts<T>;
  readonly #tab = crypto.randomUUID();
  readonly #others = new Map<string, { readonly owner: string | undefined; readonly items: readonly T[] }>();
  readonly #channel: BroadcastChannel;
  #isPlanned = false;

  constructor(parts: Parts<T>) {
    this.#parts = parts;
    this.shown = openWatched<readonly T[]>(parts.own.get());
    this.#channel = new BroadcastChannel(`recordproof-tabs-${parts.name}`);
    const { tab, kind } = { tab: z.string(), kind: z.enum(['list', 'hello', 'bye']) };
    const message = z.object({ tab, kind, owner: z.string().optional(), items: z.array(parts.item) });
    this.#channel.onmessage = ({ data }) => {
      const { data: received } = message.safeParse(data);
      if (received?.kind === 'bye') this.#forget(received.tab);
      else if (received?.kind === 'hello') this.#post('list');
      else if (received) this.#hear(received.tab, { owner: received.owner, items: received.items });
    };
    parts.own.watch(() => {
      this.#show();
      this.#plan();
    });
    // Held until the tab ends.
    void navigator.locks?.request(lockOf(this.#tab), () => new Promise(() => undefined));
    this.#post('hello');
    addEventListener('pagehide', () => this.#post('bye'));
    addEventListener('pageshow', ({ persisted }) => persisted && this.#post('list'));
  }

  #post(kind: 'list' | 'hello' | 'bye'): void {
    const { own, owner } = this.#parts;
    const items = kind === 'list' ? own.get().filter(isHeld).slice(-mostSent) : [];
    this.#channel.postMessage({ tab: this.#tab, owner: owner(), kind, items });
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setTimeout(() => {
      this.#isPlanned = false;
      this.#post('list');
    }, sendEveryMs);
  }

  #hear(tab: string, list: { readonly owner: string | undefined; readonly items: readonly T[] }): void {
    const isNew = !this.#others.has(tab);
    this.#others.set(tab, list);
    if (isNew) void navigator.locks?.request(lockOf(tab), () => this.#forget(tab));
    this.#show();
  }

  #forget(tab: string): void {
    this.#others.delete(tab);
    this.#show();
  }

  #show(): void {
    const { own, owner } = this.#parts;
    const person = owner();
    const foreign = [...this.#others.values()].filter(one => one.owner === person).flatMap(({ items }) => items);
    const held = new Set(foreign.map(({ id }) => id));
    const mine = own.get().filter(one => isActive(one) || !held.has(one.id));
    const ownIds = new Set(mine.map(({ id }) => id));
    const added = foreign.filter(({ id }) => !ownIds.has(id)).map(one => ({ ...one, elsewhere: true }));
    this.shown.set(added.length === 0 ? mine : [...mine, ...added]);
  }
}
