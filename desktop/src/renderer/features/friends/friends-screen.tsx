// Friends screen: friends, requests in both directions, and a search for people.
import { type Friend, listFriends, searchUsers, sendFriendRequest } from '@recordproof/shared/api/friends.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useAccount, useBridge, useWords } from '../../context.ts';
import { ActButton } from '../../ui/buttons.tsx';
import { SearchField } from '../../ui/form.tsx';
import { useDebounced, useEvents, useLoad, usePages, useReturn } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { ScreenHead } from '../../ui/panes.tsx';
import { Avatar, PersonName, toName } from '../../ui/person.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { FriendActions } from './friend-actions.tsx';
import { Requests } from './requests.tsx';

export function FriendsScreen() {
  const { people } = useWords(socialWords);
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const keyword = useDebounced(typed.trim());
  const pages = usePages('friends', (page, signal) =>
    call(listFriends, { query: { ...page, sort: 'username,asc' }, signal }),
  );
  useEvents(['friend-request', 'friend-accepted'], pages.reload);
  useReturn(pages.reload);
  return (
    <>
      <ScreenHead>
        <SearchField
          label={people.search}
          placeholder={people.searchHint}
          value={typed}
          onText={setTyped}
          maxLength={64}
          dir="auto"
        />
      </ScreenHead>
      {keyword !== '' ? <FoundPeople keyword={keyword} onChanged={pages.reload} /> : <FriendList pages={pages} />}
    </>
  );
}

type Known = { readonly pages: ReturnType<typeof usePages<Friend>> };

function FriendList({ pages }: Known) {
  const { people } = useWords(socialWords);
  const mayChange = useAccount().permissions.includes('friend:write');
  return (
    <PagedList
      of={pages}
      className="lines"
      by="id"
      empty={<NoFriends onChanged={pages.reload} />}
      frame={list => (
        <>
          <Requests onChanged={pages.reload} />
          <section className="area">
            <h2>{people.friends}</h2>
            {list}
          </section>
        </>
      )}
    >
      {friend => (
        <>
          <Avatar person={friend} />
          <PersonName person={friend} />
          {mayChange && <FriendActions friend={friend} onChanged={pages.reload} />}
        </>
      )}
    </PagedList>
  );
}

function NoFriends({ onChanged }: { readonly onChanged: () => void }) {
  const { people } = useWords(socialWords);
  return (
    <div className="scroll filled">
      <Requests onChanged={onChanged} />
      <EmptyState icon="friends" title={people.none} text={people.noneText} />
    </div>
  );
}

type Searching = { readonly keyword: string; readonly onChanged: () => void };

/** People of the tenant by a part of their name. */
function FoundPeople({ keyword, onChanged }: Searching) {
  const { people: texts } = useWords(socialWords);
  const { call } = useBridge();
  const mayAsk = useAccount().permissions.includes('friend:write');
  const { state, reload } = useLoad(keyword, signal => call(searchUsers, { query: { keyword }, signal }));
  useEvents(['friend-request', 'friend-accepted'], reload);
  useReturn(reload);
  const ask = async (addresseeId: string) => {
    await call(sendFriendRequest, { body: { addresseeId } });
    reload();
    onChanged();
  };
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  if (state.value.length === 0)
    return <EmptyState icon="search" title={texts.noUsers} text={texts.noUsersText(keyword)} />;
  return (
    <div className="scroll">
      <ul className="lines area">
        {state.value.map(person => (
          <li key={person.externalId}>
            <Avatar person={person} />
            <PersonName person={person} />
            {person.isFriend && <span className="quiet small">{texts.isFriend}</span>}
            {!person.isFriend && person.hasPendingRequest && <span className="quiet small">{texts.isAsked}</span>}
            {!person.isFriend && !person.hasPendingRequest && mayAsk && (
              <ActButton label={texts.ask} of={toName(person)} variant="plain" act={() => ask(person.externalId)} />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
