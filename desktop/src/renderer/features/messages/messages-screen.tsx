// Messages screen: conversations, and the open one. Its address names the person, so that a first message has one too.
import { type Conversation, listConversations } from '@recordproof/shared/api/messages.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useBridge, useLanguage, useTexts, useTitle, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { toHref, useRoute } from '../../router.ts';
import { useEvents, usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { Panes, ScreenHead } from '../../ui/panes.tsx';
import { Avatar, PersonName } from '../../ui/person.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Thread } from './thread.tsx';

export function MessagesScreen() {
  const texts = useTexts();
  const title = useTitle();
  const { talk } = useWords(socialWords);
  const { call } = useBridge();
  const { rest: personId } = useRoute();
  const pages = usePages('conversations', (page, signal) => call(listConversations, { query: page, signal }));
  useEvents(['message-received'], pages.reload);
  const none = (
    <EmptyState icon="messages" title={talk.none} text={talk.noneText}>
      <a className="button plain" href={toHref('friends')}>
        {texts.friends}
      </a>
    </EmptyState>
  );
  const list = (
    <>
      <ScreenHead />
      <PagedList of={pages} className="entries" by="id" empty={none}>
        {one => <ConversationLine conversation={one} isHere={one.person.externalId === personId} />}
      </PagedList>
    </>
  );
  const detail = personId === '' ? null : <Thread key={personId} personId={personId} onChanged={pages.reload} />;
  return <Panes label={title} hint={talk.choose} list={list} detail={detail} />;
}

type Line = { readonly conversation: Conversation; readonly isHere: boolean };

function ConversationLine({ conversation: { person, unreadCount, lastMessage }, isHere }: Line) {
  const { talk } = useWords(socialWords);
  const language = useLanguage();
  const what = { text: lastMessage.preview, image: talk.image, file: talk.file(lastMessage.preview) };
  return (
    <a href={toHref(`messages/${person.externalId}`)} {...(isHere && { 'aria-current': true })}>
      <Avatar person={person} />
      <PersonName person={person} />
      <time className="quiet small">{formatTime(lastMessage.createdAt, language)}</time>
      <bdi className="cut quiet">{what[lastMessage.contentType]}</bdi>
      {unreadCount > 0 && (
        <span className="count number">
          {unreadCount}
          <span className="unseen"> {talk.unread}</span>
        </span>
      )}
    </a>
  );
}
