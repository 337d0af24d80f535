// Races on one session: concurrent refreshes, password changes, logouts and suspensions leave at most one valid token.
import * as accountsApi from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/auth.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person, startApp, type TestApp, testPassword } from '../../../../test/support/app.ts';

const rounds = 15;
let app: TestApp;
let admin: Person;
let people = 0;

beforeAll(async () => {
  app = await startApp();
  admin = await app.person('admin', { role: 'admin' });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const newPerson = (): Promise<Person> => {
  people += 1;
  return app.person(`person-${people}`);
};

const isAlive = async (token: string): Promise<boolean> =>
  (await new Person('whoever', app.app.url, token).fetch('/api/v1/auth/me')).status === 200;

/** The token that came of it, or null where the session was over. */
const refresh = async (person: Person): Promise<string | null> => {
  const response = await person.fetch('/api/v1/auth/tokens/refresh', { method: 'POST' });
  const { data, code } = (await response.json()) as { code: number; data: { token: string } | null };
  expect([200, 70006]).toContain(code);
  return data?.token ?? null;
};

async function liveTokens(tokens: readonly (string | null)[]): Promise<string[]> {
  const made = tokens.filter(token => token !== null);
  const alive = await Promise.all(made.map(isAlive));
  return made.filter((_, index) => alive[index]);
}

test('six concurrent refreshes of a token return one valid token', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const person = await newPerson();
    const made = await Promise.all(Array.from({ length: 6 }, () => refresh(person)));
    expect(made.filter(token => token !== null)).toHaveLength(1);
    expect(await liveTokens([...made, person.token ?? null])).toHaveLength(1);
  }
});

/** What ends the session while it is being renewed. */
const ends = {
  'a logout': (person: Person) => person.call(api.logout),
  'a logout everywhere': (person: Person) => person.call(api.logout, { body: { everywhere: true } }),
  'a suspension': async (person: Person) => {
    const { records } = await admin.call(accountsApi.listUsers, { query: { keyword: person.name } });
    const id = records.find(({ username }) => username === person.name)?.id ?? '';
    await admin.call(accountsApi.updateUserStatus, { params: { id }, body: { status: 'SUSPENDED' } });
    await admin.call(accountsApi.updateUserStatus, { params: { id }, body: { status: 'ACTIVE' } });
  },
} as const;

test.each(Object.entries(ends))('no refreshed token survives %s', async (_name, end) => {
  for (let round = 0; round < rounds; round += 1) {
    const person = await newPerson();
    const [first, ended, second] = await Promise.allSettled([refresh(person), end(person), refresh(person)]);
    const made = [first, second].map(one => (one.status === 'fulfilled' ? one.value : null));
    // Refused at the door, it found the session renewed by another and was told so.
    if (ended.status === 'rejected') expect(ended.reason).toMatchObject({ code: 70006 });
    expect(await liveTokens(made)).toHaveLength(ended.status === 'rejected' ? 1 : 0);
  }
});

test('of concurrent password changes at most one succeeds, and no refreshed token survives it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const person = await newPerson();
    const change = (newPassword: string) =>
      person.call(accountsApi.changePassword, { body: { oldPassword: testPassword, newPassword } });
    const [first, second, renewed] = await Promise.allSettled([
      change('the first new one'),
      change('the second new one'),
      refresh(person),
    ]);
    const changed = [first, second].filter(one => one.status === 'fulfilled');
    const tokens = [...changed.map(({ value }) => value.token), renewed.status === 'fulfilled' ? renewed.value : null];
    expect(changed.length).toBeLessThanOrEqual(1);
    expect(await liveTokens(tokens)).toHaveLength(1);
  }
});
