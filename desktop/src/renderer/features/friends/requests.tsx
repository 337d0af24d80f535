// Friend requests, received and sent.
import type { Person } from '@recordproof/shared/api/accounts.ts';
import {
  acceptFriendRequest,
  cancelFriendRequest,
  type FriendRequest,
  friendRequestStatus,
  listReceivedRequests,
  listSentRequests,
  rejectFriendRequest,
} from '@recordproof/shared/api/friends.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import type { ReactNode } from 'react';
import { useAccount, useBridge, useWords } from '../../context.ts';
import { useBadge } from '../../ui/badges.tsx';
import { ActButton } from '../../ui/buttons.tsx';
import { useEvents, useLoad, useReturn } from '../../ui/hooks.ts';
import { Avatar, PersonName, toName } from '../../ui/person.tsx';
import { Problem } from '../../ui/states.tsx';

const waiting = { status: friendRequestStatus.PENDING, size: 100 } as const;

/** Open requests: received ones, then sent ones. */
export function Requests({ onChanged }: { readonly onChanged: () => void }) {
  const { people: texts } = useWords(socialWords);
  const { call } = useBridge();
  const badge = useBadge();
  const { state, reload } = useLoad('requests', signal =>
    Promise.all([
      call(listReceivedRequests, { query: waiting, signal }),
      call(listSentRequests, { query: waiting, signal }),
    ]),
  );
  useEvents(['friend-request', 'friend-accepted'], reload);
  useReturn(() => {
    reload();
    badge.recount();
  });
  if (state.kind === 'loading') return null;
  if (state.kind === 'failed') return <Problem error={state.error} />;
  const [received, sent] = state.value;
  const changed = () => {
    reload();
    badge.recount();
    onChanged();
  };
  return (
    <>
      <RequestList title={texts.received} requests={received.records} personOf={request => request.requester}>
        {request => <Answer request={request} onChanged={changed} />}
      </RequestList>
      <RequestList title={texts.sent} requests={sent.records} personOf={request => request.addressee}>
        {request => <TakeBack request={request} onChanged={changed} />}
      </RequestList>
    </>
  );
}

type Listing = {
  readonly title: string;
  readonly requests: readonly FriendRequest[];
  readonly personOf: (request: FriendRequest) => Person;
  readonly children: (request: FriendRequest) => ReactNode;
};

function RequestList({ title, requests, personOf, children }: Listing) {
  const mayAnswer = useAccount().permissions.includes('friend:write');
  if (requests.length === 0) return null;
  return (
    <section className="area">
      <h2>{title}</h2>
      <ul className="lines">
        {requests.map(request => (
          <li key={request.id}>
            <Avatar person={personOf(request)} />
            <PersonName person={personOf(request)} />
            {mayAnswer && children(request)}
            {request.message !== '' && <bdi className="quiet small said">{request.message}</bdi>}
          </li>
        ))}
      </ul>
    </section>
  );
}

type Answering = { readonly request: FriendRequest; readonly onChanged: () => void };

function Answer({ request: { id, requester }, onChanged }: Answering) {
  const { people: texts } = useWords(socialWords);
  const { call } = useBridge();
  const name = toName(requester);
  const answer = (endpoint: typeof acceptFriendRequest | typeof rejectFriendRequest) => async () => {
    await call(endpoint, { params: { id } });
    onChanged();
  };
  return (
    <div className="actions">
      <ActButton label={texts.accept} of={name} act={answer(acceptFriendRequest)} />
      <ActButton label={texts.refuse} of={name} variant="plain" act={answer(rejectFriendRequest)} />
    </div>
  );
}

function TakeBack({ request: { id, addressee }, onChanged }: Answering) {
  const { people: texts } = useWords(socialWords);
  const { call } = useBridge();
  const takeBack = async () => {
    await call(cancelFriendRequest, { params: { id } });
    onChanged();
  };
  return <ActButton label={texts.takeBack} of={toName(addressee)} variant="plain" act={takeBack} />;
}
