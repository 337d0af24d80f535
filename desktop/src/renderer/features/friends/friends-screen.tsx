// Whom one knows here: friends, requests in both directions, and a search for more.
import { type Friend, listFriends } from '@recordproof/shared/api/friends.ts';
import { useState } from 'react';
import { useSocialSay } from '../../social-say.ts';
import { useAccount, useBridge, useSay } from '../../surroundings.ts';
import { Icon } from '../../ui/icon.tsx';
import { Listed } from '../../ui/listed.tsx';
import { Face, PersonName } from '../../ui/person.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useEvents } from '../../ui/use-events.ts';
import { usePages } from '../../ui/use-pages.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { FoundPeople } from './found-people.tsx';
import { FriendActions } from './friend-actions.tsx';
import { Requests } from './requests.tsx';

export function FriendsScreen() {
  const say = useSay();
  const { people } = useSocialSay();
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const keyword = useSettled(typed.trim());
  const pages = usePages('friends', (page, signal) =>
    call(listFriends, { query: { ...page, sort: 'username,asc' }, signal }),
  );
  useEvents(['friend-request', 'friend-accepted'], pages.reload);
  return (
    <>
      <header className="head">
        <h1>{say.friends}</h1>
        <search className="search">
          <Icon name="search" />
          <input
            type="search"
            value={typed}
            onChange={event => setTyped(event.target.value)}
            aria-label={people.search}
            placeholder={people.searchHint}
            maxLength={64}
            dir="auto"
          />
        </search>
      </header>
      {keyword !== '' ? (
        <FoundPeople keyword={keyword} onChanged={pages.reload} />
      ) : (
        <Listed of={pages} empty={<NoFriends onChanged={pages.reload} />}>
          {friends => (
            <>
              <Requests onChanged={pages.reload} />
              <FriendList friends={friends} onChanged={pages.reload} />
            </>
          )}
        </Listed>
      )}
    </>
  );
}

function NoFriends({ onChanged }: { readonly onChanged: () => void }) {
  const { people } = useSocialSay();
  return (
    <div className="scroll filled">
      <Requests onChanged={onChanged} />
      <EmptyState icon="friends" title={people.none} text={people.noneText} />
    </div>
  );
}

type Known = { readonly friends: readonly Friend[]; readonly onChanged: () => void };

function FriendList({ friends, onChanged }: Known) {
  const { people } = useSocialSay();
  const mayChange = useAccount().permissions.includes('friend:write');
  return (
    <section className="area">
      <h2>{people.friends}</h2>
      <ul className="lines">
        {friends.map(friend => (
          <li key={friend.id}>
            <Face person={friend} />
            <PersonName person={friend} />
            {mayChange && <FriendActions friend={friend} onChanged={onChanged} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
