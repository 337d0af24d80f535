// Slows guessers down and shuts nobody out: who comes with the right code is never asked, and who knows the right password
// is heard from elsewhere, however many wrong ones were tried. What was no guess costs nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Counter } from '../../platform/cluster/counters.ts';
import type { Key } from '../../platform/db/tables.ts';
import { toAddressKey, toNetworkKey } from '../../platform/http/rate-limit.ts';

type Rule = { readonly key: string; readonly limit: number; readonly windowMs: number };

const hourMs = 3600_000;
const dayMs = 24 * hourMs;

/** Of 3 · 10^21 codes: what protects them is their length, the limit only tells a guesser to stop. */
const unknownCodes = (ip: string): Rule => ({
  key: `share-code:${toAddressKey(ip)}`,
  limit: 60,
  windowMs: hourMs,
});

/** What one address may get wrong. */
const ofAddress = (shareId: Key, ip: string): Rule[] => [
  { key: `share-password:${toAddressKey(ip)}`, limit: 30, windowMs: hourMs },
  { key: `share-password:${shareId}:${toAddressKey(ip)}`, limit: 10, windowMs: hourMs },
];

/** What all addresses together get wrong before the share is taken to be under attack. */
const ofShare = (shareId: Key): Rule[] => [
  { key: `share-password:hour:${shareId}`, limit: 20, windowMs: hourMs },
  { key: `share-password:day:${shareId}`, limit: 60, windowMs: dayMs },
];

/** All that a whole network may then still get wrong: an attacker needs ever more of them, everybody else has one. */
const underAttack = (shareId: Key, ip: string): Rule => ({
  key: `share-password:${shareId}:${toNetworkKey(ip)}`,
  limit: 3,
  windowMs: hourMs,
});

const toRefusal = (seconds: number): ApiError =>
  new ApiError('RATE_LIMITED', `too many wrong tries; try again in ${seconds} s`, { retryAfterSeconds: seconds });

const looks = 40;
const lookAgainMs = 100;

type Try = Disposable & { readonly forgive: () => Promise<void> };

/** What was counted for a try; with a time to wait, nothing was. */
type Counted = { readonly keys: readonly string[]; readonly waitSeconds: number | null };

export class Guesses {
  readonly #counter: Counter;
  readonly #clock: Clock;
  /** Tries whose password is being looked at here: the right ones among them are given back in a moment. */
  readonly #underWay = new Map<string, number>();

  constructor(counter: Counter, clock: Clock) {
    this.#counter = counter;
    this.#clock = clock;
  }

  /** After a code was not found. Throws RATE_LIMITED for whoever has tried many. */
  async countUnknownCode(ip: string): Promise<void> {
    const waitSeconds = await this.#count(unknownCodes(ip));
    if (waitSeconds !== null) throw toRefusal(waitSeconds);
  }

  /**
   * Before a password is looked at: it counts as wrong until it is forgiven, so that a thousand tries at once are worth no
   * more than one after the other. Throws RATE_LIMITED, which counts nowhere.
   */
  async countTry(shareId: Key, ip: string): Promise<Try> {
    for (let look = 1; ; look += 1) {
      const { keys, waitSeconds } = await this.#countAll(shareId, ip);
      if (waitSeconds === null) return this.#begin(keys);
      const mayBeForgiven = [...ofAddress(shareId, ip), underAttack(shareId, ip)].some(({ key }) =>
        this.#underWay.has(key),
      );
      if (look === looks || !mayBeForgiven) throw toRefusal(waitSeconds);
      await sleep(lookAgainMs);
    }
  }

  /** Null when it was counted, else how long to wait. */
  async #count({ key, limit, windowMs }: Rule): Promise<number | null> {
    const now = this.#clock.now();
    const hit = await this.#counter.hit(key, limit, windowMs, now);
    return hit.allowed ? null : Math.max(1, Math.ceil((hit.resetAtMs - now) / 1000));
  }

  async #countAll(shareId: Key, ip: string): Promise<Counted> {
    const keys: string[] = [];
    /** How long to wait for the first of the rules that is at its limit; those before it were counted. */
    const countUnder = async (rules: readonly Rule[]): Promise<number | null> => {
      for (const rule of rules) {
        const waitSeconds = await this.#count(rule);
        if (waitSeconds !== null) return waitSeconds;
        keys.push(rule.key);
      }
      return null;
    };
    let waitSeconds = await countUnder(ofAddress(shareId, ip));
    if (waitSeconds === null && (await countUnder(ofShare(shareId))) !== null)
      waitSeconds = await countUnder([underAttack(shareId, ip)]);
    if (waitSeconds !== null) await this.#giveBack(keys.splice(0));
    return { keys, waitSeconds };
  }

  async #giveBack(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#counter.giveBack(key);
  }

  #begin(keys: readonly string[]): Try {
    for (const key of keys) this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    return {
      forgive: () => this.#giveBack(keys),
      [Symbol.dispose]: () => {
        for (const key of keys) {
          const left = (this.#underWay.get(key) ?? 1) - 1;
          if (left > 0) this.#underWay.set(key, left);
          else this.#underWay.delete(key);
        }
      },
    };
  }
}
