// Form that shares files with a friend.
import type { File } from '@recordproof/shared/api/files.ts';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { type Friend, listAllFriends } from '@recordproof/shared/api/friends.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useId, useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { toHref } from '../../router.ts';
import { ActionForm, Field } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { toName } from '../../ui/person.tsx';
import { NotLoadedNote } from '../../ui/states.tsx';

type Sending = { readonly files: readonly File[]; readonly onSent: (to: string) => void };

export function FriendForm({ files, onSent }: Sending) {
  const { gifts } = useWords(socialWords);
  const { call } = useBridge();
  const { state } = useLoad('all friends', signal => call(listAllFriends, { signal }));
  if (state.kind !== 'ready') return <NotLoadedNote state={state} />;
  if (state.value.length === 0)
    return (
      <p>
        {gifts.noFriends} <a href={toHref('friends')}>{gifts.findFriends}</a>
      </p>
    );
  return <ChooseFriend files={files} friends={state.value} onSent={onSent} />;
}

function ChooseFriend({ files, friends, onSent }: Sending & { readonly friends: readonly Friend[] }) {
  const { gifts: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [friendId, setFriend] = useState(friends[0]?.externalId ?? '');
  const [message, setMessage] = useState('');
  const id = useId();
  const action = useAction(async () => {
    const fileHashes = files.map(({ fileHash }) => fileHash);
    const { friend } = await call(shareWithFriend, { body: { friendId, fileHashes, message } });
    onSent(toName(friends.find(({ externalId }) => externalId === friendId) ?? friend));
  });
  return (
    <ActionForm action={action} submit={texts.send}>
      <p className="quiet">{texts.lead}</p>
      <div className="field">
        <label htmlFor={id}>{texts.friend}</label>
        <select id={id} value={friendId} onChange={({ target }) => setFriend(target.value)}>
          {friends.map(friend => (
            <option key={friend.id} value={friend.externalId}>
              {toName(friend)}
            </option>
          ))}
        </select>
      </div>
      <ShareMessage value={message} onText={setMessage} />
    </ActionForm>
  );
}

type MessageProps = { readonly value: string; readonly onText: (text: string) => void };

export function ShareMessage(message: MessageProps) {
  const { sharing } = useTexts();
  const { gifts: texts } = useWords(socialWords);
  const label = sharing.optionalLabel(texts.message);
  return <Field label={label} maxLength={255} dir="auto" autoComplete="off" {...message} />;
}
