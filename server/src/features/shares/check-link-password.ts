// Check of a link's password, and rate limits against guessing codes and passwords, without lockout: a right code is
// never limited, and the right password is accepted from another network after any number of failures. Only wrong
// guesses count.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Counter } from '../../platform/cluster/counters.ts';
import type { Key } from '../../platform/db/tables.ts';
import { toAddressKey, toNetworkKey } from '../../platform/http/rate-limit.ts';
import type { Server } from '../../platform/server.ts';

/** What a password protects: a share, or a drop link. */
type Guarded = Key | `drop-${Key}`;

type Rule = { readonly key: string; readonly limit: number; readonly windowMs: number };

const hourMs = 3600_000;
const dayMs = 24 * hourMs;

/** There are 3 · 10^21 codes: their length protects them; the limit only slows guessing. */
const unknownCodes = (ip: string): Rule => ({
  key: `share-code:${toAddressKey(ip)}`,
  limit: 60,
  windowMs: hourMs,
});

/** Failures allowed per address. */
const ofAddress = (shareId: Guarded, ip: string): Rule[] => [
  { key: `share-password:${toAddressKey(ip)}`, limit: 30, windowMs: hourMs },
  { key: `share-password:${shareId}:${toAddressKey(ip)}`, limit: 10, windowMs: hourMs },
];

/** Failures from all addresses before the share counts as under attack. */
const ofShare = (shareId: Guarded): Rule[] => [
  { key: `share-password:hour:${shareId}`, limit: 20, windowMs: hourMs },
  { key: `share-password:day:${shareId}`, limit: 60, windowMs: dayMs },
];

/** Failures then allowed per network: an attacker needs many networks, a normal visitor has one. */
const underAttack = (shareId: Guarded, ip: string): Rule => ({
  key: `share-password:${shareId}:${toNetworkKey(ip)}`,
  limit: 3,
  windowMs: hourMs,
});

const toRejection = (seconds: number): ApiError =>
  new ApiError('RATE_LIMITED', `too many wrong attempts; try again in ${seconds} s`, { retryAfterSeconds: seconds });

const maxAttempts = 150;
const retryDelayMs = 100;

type CountedAttempt = Disposable & {
  /** Failures left within the hour. */
  readonly left: number;
  readonly refund: () => Promise<void>;
};

/** What was counted for an attempt; nothing if there is a time to wait. */
type Count = { readonly keys: readonly string[]; readonly left: number; readonly waitSeconds: number | null };

export class LinkAttempts {
  readonly #counter: Counter;
  readonly #clock: Clock;
  /** Attempts whose password is being checked here: correct ones are refunded shortly. */
  readonly #underWay = new Map<string, number>();

  constructor(counter: Counter, clock: Clock) {
    this.#counter = counter;
    this.#clock = clock;
  }

  /** After an unknown code. Throws RATE_LIMITED after many. */
  async countUnknownCode(ip: string): Promise<void> {
    const { waitSeconds } = await this.#count(unknownCodes(ip));
    if (waitSeconds !== null) throw toRejection(waitSeconds);
  }

  /**
   * Before a password is checked: it counts as wrong until it is refunded, so that concurrent attempts gain nothing
   * over sequential ones. Throws RATE_LIMITED, which is not counted.
   */
  async countAttempt(shareId: Guarded, ip: string): Promise<CountedAttempt> {
    for (let attempt = 1; ; attempt += 1) {
      const { keys, left, waitSeconds } = await this.#countAll(shareId, ip);
      if (waitSeconds === null) return this.#begin(keys, left);
      const mayBeRefunded = [...ofAddress(shareId, ip), underAttack(shareId, ip)].some(({ key }) =>
        this.#underWay.has(key),
      );
      if (attempt === maxAttempts || !mayBeRefunded) throw toRejection(waitSeconds);
      await sleep(retryDelayMs);
    }
  }

  /** Without `waitSeconds` it was counted. */
  async #count({ key, limit, windowMs }: Rule): Promise<Pick<Count, 'left' | 'waitSeconds'>> {
    const now = this.#clock.now();
    const { allowed, remaining, resetAtMs } = await this.#counter.hit(key, limit, windowMs, now);
    return { left: remaining, waitSeconds: allowed ? null : Math.max(1, Math.ceil((resetAtMs - now) / 1000)) };
  }

  async #countAll(shareId: Guarded, ip: string): Promise<Count> {
    const keys: string[] = [];
    let least = Number.POSITIVE_INFINITY;
    /** Returns the wait for the first exhausted rule; earlier rules were counted. */
    const countUnder = async (rules: readonly Rule[]): Promise<number | null> => {
      for (const rule of rules) {
        const { left, waitSeconds } = await this.#count(rule);
        if (waitSeconds !== null) return waitSeconds;
        least = Math.min(least, left);
        keys.push(rule.key);
      }
      return null;
    };
    let waitSeconds = await countUnder(ofAddress(shareId, ip));
    let left = least;
    if (waitSeconds === null && (await countUnder(ofShare(shareId))) !== null) {
      least = left;
      waitSeconds = await countUnder([underAttack(shareId, ip)]);
      left = least;
    }
    if (waitSeconds !== null) await this.#uncount(keys.splice(0));
    return { keys, left, waitSeconds };
  }

  async #uncount(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#counter.uncount(key);
  }

  #begin(keys: readonly string[], left: number): CountedAttempt {
    for (const key of keys) this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    return {
      left,
      refund: () => this.#uncount(keys),
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

type Protected = { readonly id: Guarded; readonly hash: string | null; readonly ip: string };

/** Throws FORBIDDEN for a wrong password of a link, and RATE_LIMITED after many. */
export async function checkLinkPassword(
  { shareAttempts, passwords }: Pick<Server, 'passwords'> & { readonly shareAttempts: LinkAttempts },
  { id, hash, ip }: Protected,
  password: string,
): Promise<void> {
  using attempt = await shareAttempts.countAttempt(id, ip);
  const { matches } = await passwords.verify(password, hash ?? '', ip);
  if (!matches) {
    const detail = { reason: 'PASSWORD_WRONG', triesLeft: attempt.left };
    throw new ApiError('FORBIDDEN', `the password is wrong; tries left: ${attempt.left}`, { detail });
  }
  await attempt.refund();
}
