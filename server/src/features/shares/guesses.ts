// Slows down guessing: codes by address, passwords by share and by address. Whoever is at the limit learns nothing more,
// not even by a right guess; and what was no guess costs nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Key } from '../../platform/db/tables.ts';
import { toAddressKey } from '../../platform/http/rate-limit.ts';
import type { SharePorts } from './ports.ts';

type Ports = Pick<SharePorts, 'cluster' | 'clock'>;
type Rule = { readonly key: string; readonly limit: number; readonly windowMs: number };

const hourMs = 3600_000;
const dayMs = 24 * hourMs;

/** Of 3 · 10^21 codes. */
const unknownCodes = (ip: string): Rule => ({
  key: `share-code:${toAddressKey(ip)}`,
  limit: 60,
  windowMs: hourMs,
});

/** Sixty a day are 1,800 in the thirty days that a share can be given at once. */
const wrongPasswords = (shareId: Key, ip: string): Rule[] => [
  { key: `share-password:${toAddressKey(ip)}`, limit: 30, windowMs: hourMs },
  { key: `share-password:hour:${shareId}`, limit: 20, windowMs: hourMs },
  { key: `share-password:day:${shareId}`, limit: 60, windowMs: dayMs },
];

/** Null when it was counted, else how long to wait. */
async function count({ cluster, clock }: Ports, { key, limit, windowMs }: Rule): Promise<number | null> {
  const now = clock.now();
  const hit = await cluster.hit(key, limit, windowMs, now);
  return hit.allowed ? null : Math.max(1, Math.ceil((hit.resetAtMs - now) / 1000));
}

const toRefusal = (seconds: number): ApiError =>
  new ApiError('RATE_LIMITED', `too many wrong tries; try again in ${seconds} s`, { retryAfterSeconds: seconds });

/** Before a code is looked for. */
export async function refuseCodeGuesser(ports: Ports, ip: string): Promise<void> {
  const rule = unknownCodes(ip);
  const waitSeconds = await count(ports, rule);
  if (waitSeconds !== null) throw toRefusal(waitSeconds);
  await ports.cluster.giveBack(rule.key);
}

/** After one was not found. */
export async function countUnknownCode(ports: Ports, ip: string): Promise<void> {
  await count(ports, unknownCodes(ip));
}

/** Tries whose password is being looked at here: the right ones among them are given back in a moment. */
const underWay = new Map<string, number>();
const looks = 40;
const lookAgainMs = 100;

type Try = Disposable & { readonly forgive: () => Promise<void> };

/**
 * Before a password is looked at: it counts as wrong until it is forgiven, so that a thousand tries at once are worth no
 * more than one after the other. Throws RATE_LIMITED, which counts nowhere.
 */
export async function countTry(ports: Ports, shareId: Key, ip: string): Promise<Try> {
  const rules = wrongPasswords(shareId, ip);
  for (let look = 1; ; look += 1) {
    const waitSeconds = await countAll(ports, rules);
    if (waitSeconds === null) return beginTry(ports, rules);
    if (look === looks || !rules.some(({ key }) => underWay.has(key))) throw toRefusal(waitSeconds);
    await sleep(lookAgainMs);
  }
}

/** All of them, or none. */
async function countAll(ports: Ports, rules: readonly Rule[]): Promise<number | null> {
  for (const [index, rule] of rules.entries()) {
    const waitSeconds = await count(ports, rule);
    if (waitSeconds === null) continue;
    await giveBack(ports, rules.slice(0, index));
    return waitSeconds;
  }
  return null;
}

async function giveBack({ cluster }: Ports, rules: readonly Rule[]): Promise<void> {
  for (const { key } of rules) await cluster.giveBack(key);
}

function beginTry(ports: Ports, rules: readonly Rule[]): Try {
  for (const { key } of rules) underWay.set(key, (underWay.get(key) ?? 0) + 1);
  return {
    forgive: () => giveBack(ports, rules),
    [Symbol.dispose]: () => {
      for (const { key } of rules) {
        const left = (underWay.get(key) ?? 1) - 1;
        if (left > 0) underWay.set(key, left);
        else underWay.delete(key);
      }
    },
  };
}
