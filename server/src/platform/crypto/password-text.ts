// Stored form of a password: Argon2id in PHC format, with its cost parameters.
import { type Argon2Parameters, argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number };

export type DeriveTask = Cost & { readonly password: string; readonly salt: Uint8Array };

const currentCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagLength = 32;

export const toParameters = ({ password, salt, memory, passes, parallelism }: DeriveTask): Argon2Parameters => ({
  message: Buffer.from(password.normalize('NFKC')),
  nonce: salt,
  tagLength,
  memory,
  passes,
  parallelism,
});

export const newSalt = (): Uint8Array => new Uint8Array(randomBytes(16));

export const toTask = (password: string, salt: Uint8Array): DeriveTask => ({ password, salt, ...currentCost });

export const toText = ({ salt, memory, passes, parallelism }: DeriveTask, tag: Uint8Array): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;

const unpadded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** For commands, which hash one password and exit; a server hashes on threads (passwords.ts). */
export async function hashPassword(password: string): Promise<string> {
  const task = toTask(password, newSalt());
  return toText(task, await promisify(argon2)('argon2id', toParameters(task)));
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

type StoredPassword = Cost & { readonly salt: Uint8Array; readonly tag: Uint8Array };

export function parseText(stored: string): StoredPassword {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(stored) ?? [];
  const bytes = Buffer.from(tag, 'base64');
  if (bytes.length !== tagLength) throw new Error('a stored password hash is not readable');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { ...cost, salt: new Uint8Array(Buffer.from(salt, 'base64')), tag: bytes };
}

export const isOutdated = (stored: Cost): boolean =>
  (Object.keys(currentCost) as (keyof Cost)[]).some(part => stored[part] !== currentCost[part]);
