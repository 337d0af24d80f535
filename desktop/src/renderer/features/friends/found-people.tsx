import { searchUsers, sendFriendRequest } from '@recordproof/shared/api/friends.ts';
import { useSocialSay } from '../../social-say.ts';
import { useAccount, useBridge } from '../../surroundings.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Face, PersonName, toName } from '../../ui/person.tsx';
import { EmptyState, FailedState, Loading } from '../../ui/states.tsx';
import { useLoad } from '../../ui/use-load.ts';

type Searching = { readonly keyword: string; readonly onChanged: () => void };

/** People of the tenant by a part of their name. */
export function FoundPeople({ keyword, onChanged }: Searching) {
  const { people: say } = useSocialSay();
  const { call } = useBridge();
  const mayAsk = useAccount().permissions.includes('friend:write');
  const { state, reload } = useLoad(keyword, signal => call(searchUsers, { query: { keyword }, signal }));
  const ask = async (addresseeId: string) => {
    await call(sendFriendRequest, { body: { addresseeId } });
    reload();
    onChanged();
  };
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <FailedState error={state.error} again={reload} />;
  if (state.value.length === 0) return <EmptyState icon="search" title={say.nobody} text={say.nobodyText(keyword)} />;
  return (
    <div className="scroll">
      <ul className="lines area">
        {state.value.map(person => (
          <li key={person.externalId}>
            <Face person={person} />
            <PersonName person={person} />
            {person.isFriend && <span className="quiet small">{say.isFriend}</span>}
            {!person.isFriend && person.hasPendingRequest && <span className="quiet small">{say.isAsked}</span>}
            {!person.isFriend && !person.hasPendingRequest && mayAsk && (
              <ActButton label={say.ask} of={toName(person)} look="plain" act={() => ask(person.externalId)} />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
