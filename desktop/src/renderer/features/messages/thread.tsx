// Thread with one person: messages, the newest below, and the composer. An open thread is marked as read.
import {
  type Conversation,
  deleteConversation,
  maxMessage,
  readConversation,
  sendMessage,
} from '@recordproof/shared/api/messages.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useAccount, useBridge, useWords } from '../../context.ts';
import { go, toHref } from '../../router.ts';
import { useMarkRead } from '../../ui/badges.tsx';
import { Button } from '../../ui/button.tsx';
import { AskButton } from '../../ui/dialog.tsx';
import { useDraft } from '../../ui/drafts.ts';
import { Form } from '../../ui/form.tsx';
import { useAction, useEvents, useLoad } from '../../ui/hooks.ts';
import { PaneHead } from '../../ui/panes.tsx';
import { toName } from '../../ui/person.tsx';
import { EmptyState, NotLoaded, Problem } from '../../ui/states.tsx';
import { findPartner, loadMessages } from './find-conversation.ts';
import { MessageList } from './message-list.tsx';

type ThreadProps = { readonly personId: string; readonly onChanged: () => void };

export function Thread({ personId, onChanged }: ThreadProps) {
  const { talk: texts } = useWords(socialWords);
  const { call } = useBridge();
  const mayWrite = useAccount().permissions.includes('message:write');
  const [sent, setSent] = useState(0);
  const { state, reload } = useLoad(personId, signal => findPartner(call, personId, signal));
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
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
  const { externalId, permissions } = useAccount();
  const [pages, setPages] = useState(1);
  const { state, reload } = useLoad(id, signal => loadMessages(call, id, pages, signal));
  useEvents(['message-received'], reload);
  useEffect(() => {
    if (sent > 0 || pages > 1) reload();
  }, [sent, pages, reload]);
  const newest = state.kind === 'ready' ? state.value.messages[0] : undefined;
  const isUnread = newest !== undefined && newest.senderId !== externalId && permissions.includes('message:write');
  const mark = (messageId: string) => call(readConversation, { params: { id }, body: { messageId } });
  useMarkRead(isUnread ? newest.id : null, mark, onRead);
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  return <MessageList written={state.value} me={externalId} onOlder={() => setPages(pages + 1)} />;
}

function DeleteThread({ id, onDeleted }: { readonly id: string; readonly onDeleted: () => void }) {
  const { talk: texts } = useWords(socialWords);
  const { call } = useBridge();
  const remove = async () => {
    await call(deleteConversation, { params: { id } });
    onDeleted();
    go('messages');
  };
  return <AskButton label={texts.remove} variant="bare" title={texts.removeAsk} text={texts.removeText} act={remove} />;
}

type Composing = { readonly personId: string; readonly name: string; readonly onSent: () => void };

/** Enter sends; Shift+Enter is a new line. During input of a composed character neither. */
const isSend = ({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing;

function Composer({ personId, name, onSent }: Composing) {
  const { talk: texts } = useWords(socialWords);
  const { call } = useBridge();
  const [text, setText] = useDraft(`message-${personId}`, '');
  const area = useRef<HTMLTextAreaElement>(null);
  const { run, isBusy, error } = useAction(async () => {
    if (text.trim() === '') return;
    await call(sendMessage, { body: { receiverId: personId, content: text } });
    setText('');
    area.current?.focus();
    onSent();
  });
  return (
    <Form onSend={run} className="composer">
      <Problem error={error} />
      <textarea
        ref={area}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={event => {
          if (!isSend(event)) return;
          event.preventDefault();
          void run();
        }}
        aria-label={texts.writeTo(name)}
        placeholder={texts.placeholder}
        maxLength={maxMessage}
        rows={2}
        dir="auto"
      />
      <Button label={texts.send} type="submit" disabled={isBusy || text.trim() === ''} />
    </Form>
  );
}
