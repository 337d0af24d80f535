// Password hashing for commands, which hash one password and exit.
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { toParameters, toTask, toText } from './password-text.ts';

export const newSalt = (): Uint8Array => new Uint8Array(randomBytes(16));

export async function hashPassword(password: string): Promise<string> {
  const task = toTask(password, newSalt());
  return toText(task, await promisify(argon2)('argon2id', toParameters(task)));
}
