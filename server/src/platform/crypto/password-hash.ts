// Passwords at rest: Argon2id, off the event loop, a bounded number at a time. Old parameters still verify; the caller
// is told to store the hash anew.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '@recordproof/shared/api/errors.ts';

type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number };

const currentCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;
const saltLength = 16;
const maxWaiting = 64;

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;

let waiting = 0;

/** Refuses instead of piling up: each derivation holds 19 MiB. */
async function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= maxWaiting)
    throw new ApiError('RATE_LIMITED', 'too many logins at once, try again', { retryAfterSeconds: 2 });
  waiting += 1;
  try {
    return await work();
  } finally {
    waiting -= 1;
  }
}

const deriveTag = (password: string, nonce: Buffer, cost: Cost): Promise<Buffer> =>
  bounded(() => derive('argon2id', { message: Buffer.from(password.normalize('NFKC')), nonce, tagLength, ...cost }));

const toText = (cost: Cost, salt: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${unpadded(salt)}$${unpadded(tag)}`;

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltLength);
  return toText(currentCost, salt, await deriveTag(password, salt, currentCost));
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

type PasswordVerdict = { readonly matches: boolean; readonly outdated: boolean };

export async function verifyPassword(password: string, stored: string): Promise<PasswordVerdict> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(stored) ?? [];
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const expected = Buffer.from(tag, 'base64');
  if (expected.length !== tagLength) throw new Error('a stored password hash is not readable');
  const actual = await deriveTag(password, Buffer.from(salt, 'base64'), cost);
  const outdated = (Object.keys(currentCost) as (keyof Cost)[]).some(part => cost[part] !== currentCost[part]);
  return { matches: timingSafeEqual(actual, expected), outdated };
}

/** Takes as long as checking a real password and never matches: for accounts that do not exist. */
export async function pretendToVerify(password: string): Promise<false> {
  await deriveTag(password, Buffer.alloc(saltLength), currentCost);
  return false;
}
