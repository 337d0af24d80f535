// Thread with one person: messages, the newest below, and the composer. An open thread is marked as read.

import { type Conversation, deleteConversation, readConversation } from '@recordproof/shared/api/messages.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useEffect, useState } from 'react';
import { useAccount, useBridge, useWords } from '../../context.ts';
import { go, toHref } from '../../router.ts';
import { useBadge } from '../../ui/badges.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { PaneHead } from '../../ui/panes.tsx';
import { toName } from '../../ui/person.tsx';
import { EmptyState, FailedState, Loading } from '../../ui/states.tsx';
import { Composer } from './composer.tsx';
import { findPartner, loadMessages } from './find-conversation.ts';
import { MessageList } from './message-list.tsx';

type ThreadProps = { readonly personId: string; readonly onChanged: () => void };

export function Thread({ personId, onChanged }: ThreadProps) {
  const { talk: texts } = useWords(socialWords);
  const { call } = useBridge();
  const mayWrite = useAccount().permissions.includes('message:write');
  const [sent, setSent] = useState(0);
  const { state, reload } = useLoad(personId, signal => findPartner(call, personId, signal));
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <FailedState error={state.error} again={reload} />;
  if (state.value === null) return <EmptyState icon="messages" title={texts.stranger} text={texts.strangerText} />;
  const { person, isFriend, conversation } = state.value;
  const wasSent = () => {
    setSent(sent + 1);
    if (!conversation) reload();
    onChanged();
  };
  return (
    <>
      <PaneHead title={toName(person)} back={toHref('messages')}>
        {conversation && mayWrite && <DeleteThread id={conversation.id} onDeleted={onChanged} />}
      </PaneHead>
      {conversation ? (
        <Messages conversation={conversation} sent={sent} onRead={onChanged} />
      ) : (
        <p className="middle quiet">{texts.first(toName(person))}</p>
      )}
      {isFriend && mayWrite && <Composer personId={personId} name={toName(person)} onSent={wasSent} />}
      {!isFriend && <p className="note">{texts.notFriends}</p>}
    </>
  );
}

type Shown = { readonly conversation: Conversation; readonly sent: number; readonly onRead: () => void };

function Messages({ conversation: { id }, sent, onRead }: Shown) {
  const { call } = useBridge();
  const badge = useBadge();
  const { externalId, permissions } = useAccount();
  const [pages, setPages] = useState(1);
  const { state, reload } = useLoad(id, signal => loadMessages(call, id, pages, signal));
  useEvents(['message-received'], reload);
  useEffect(() => {
    if (sent > 0 || pages > 1) reload();
  }, [sent, pages, reload]);
  const newest = state.kind === 'ready' ? state.value.messages[0] : undefined;
  const unread = newest !== undefined && newest.senderId !== externalId ? newest.id : undefined;
  const mayMark = permissions.includes('message:write');
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each newest message
  useEffect(() => {
    if (unread === undefined || !mayMark) return;
    const markShown = () => {
      badge.recount();
      onRead();
    };
    // A failure leaves them unread.
    call(readConversation, { params: { id }, body: { messageId: unread } }).then(markShown, () => undefined);
  }, [id, unread]);
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <FailedState error={state.error} again={reload} />;
  return <MessageList written={state.value} me={externalId} onOlder={() => setPages(pages + 1)} />;
}

function DeleteThread({ id, onDeleted }: { readonly id: string; readonly onDeleted: () => void }) {
  const { talk: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [isAsking, setAsking] = useState(false);
  const remove = async () => {
    await call(deleteConversation, { params: { id } });
    onDeleted();
    go('messages');
  };
  return (
    <>
      <button type="button" className="bare" onClick={() => setAsking(true)}>
        {texts.remove}
      </button>
      {isAsking && (
        <AskDialog
          title={texts.removeAsk}
          text={texts.removeText}
          yes={texts.remove}
          act={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
