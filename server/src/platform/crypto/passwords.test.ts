// @vitest-environment-options {"process": "passwords: counts the threads of its process"}
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { hashPassword } from './password-text.ts';
import { Passwords } from './passwords.ts';

const password = 'correct horse battery';

test('a password matches its hash from either implementation, and no other', async () => {
  await using passwords = new Passwords();
  for (const stored of [await passwords.hash(password), await hashPassword(password)]) {
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify(password, stored)).toEqual({ matches: true, outdated: false });
    expect(await passwords.verify('another password', stored)).toEqual({ matches: false, outdated: false });
  }
  expect(await passwords.hash(password)).not.toBe(await passwords.hash(password));
});

test('a hash with other cost parameters matches and is outdated', async () => {
  await using passwords = new Passwords();
  const cheap = '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$wZeUqErRQM9fr7+3IJVQyFsb5QPhYeqkXwNGZgBH/L4';
  expect(await passwords.verify(password, cheap)).toEqual({ matches: true, outdated: true });
});

test('Unicode forms of the same password match', async () => {
  await using passwords = new Passwords();
  const { matches } = await passwords.verify('pa\u0308sswort-1', await passwords.hash('p\u00e4sswort-1'));
  expect(matches).toBe(true);
});

test('the queue of verifications is bounded, and the rest gets 429', async () => {
  await using passwords = new Passwords({ mostWaiting: 2 });
  const tries = await Promise.allSettled([1, 2, 3, 4].map(() => passwords.pretendToVerify(password)));
  const rejected = tries.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
  expect(rejected).toHaveLength(2);
  expect(rejected[0]).toMatchObject({ kind: 'RATE_LIMITED', status: 429, retryAfterSeconds: 2 });
  expect(await passwords.pretendToVerify(password)).toBe(false); // and then there is room again
});

test('many requests of one address do not delay those of another', async () => {
  await using passwords = new Passwords({ mostWaiting: 20 });
  const order: string[] = [];
  const ask = (ip: string) => passwords.pretendToVerify(password, ip).then(() => order.push(ip));
  const flood = Array.from({ length: 30 }, () => ask('198.51.100.1'));
  const honest = ask('203.0.113.1');
  const outcomes = await Promise.allSettled([...flood, honest]);
  expect(outcomes.at(-1)?.status).toBe('fulfilled');
  expect(order.indexOf('203.0.113.1')).toBeLessThan(10);
});

test('an unreadable stored hash is an error, not a wrong password', async () => {
  await using passwords = new Passwords();
  await expect(passwords.verify(password, '$argon2id$v=19$m=1,t=1,p=1$AA$AA')).rejects.toThrow('not readable');
});

/** `nice` is the nineteenth field; the name of the thread, in brackets, may hold blanks. */
const readNiceness = async (thread: string): Promise<number> => {
  const stat = await readFile(`/proc/self/task/${thread}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17]);
};

test.runIf(process.platform === 'linux')(
  'threads that verify passwords run with lower priority than the main thread',
  async () => {
    await using passwords = new Passwords();
    await passwords.pretendToVerify(password);
    const threads = await readdir('/proc/self/task');
    const others = threads.filter(thread => Number(thread) !== process.pid);
    const usual = await readNiceness(String(process.pid));
    expect(await Promise.all(others.map(readNiceness))).toContain(Math.min(19, usual + 5));
  },
);
