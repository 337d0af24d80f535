// Friendships for tests.
import { me } from '@recordproof/shared/api/auth.ts';
import { acceptFriendRequest, sendFriendRequest } from '@recordproof/shared/api/friends.ts';
import type { Person, TestApp } from './app.ts';

export const idOf = async (person: Person): Promise<string> => (await person.call(me)).externalId;

export async function befriend(one: Person, other: Person): Promise<void> {
  const { id } = await one.call(sendFriendRequest, { body: { addresseeId: await idOf(other) } });
  await other.call(acceptFriendRequest, { params: { id } });
}

/** Alice and Bob are friends; Carol is a stranger of the same tenant, Eve one of another. */
export async function openFriends(app: TestApp) {
  const [alice, bob, carol] = [await app.person('alice'), await app.person('bob'), await app.person('carol')];
  await befriend(alice, bob);
  return { alice, bob, carol, eve: await app.person('eve', { tenant: 'other' }) };
}
