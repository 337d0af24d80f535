// Announcements: pinned ones first; unread ones are highlighted until they are opened.
import {
  type Announcement,
  announcementPriority,
  getAnnouncement,
  listAnnouncements,
  readAnnouncement,
} from '@recordproof/shared/api/announcements.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { createElement, type ReactNode } from 'react';
import { useBridge, useLanguage, useTitle, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { toHref, useRoute } from '../../router.ts';
import { useMarkRead } from '../../ui/badges.tsx';
import { useEvents, useLoad, usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { PaneHead, Panes, ScreenHead } from '../../ui/panes.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { type Block, parseMarkdown, type Span } from './markdown.ts';

export function AnnouncementsScreen() {
  const title = useTitle();
  const { news } = useWords(socialWords);
  const { call } = useBridge();
  const { rest: id } = useRoute();
  const pages = usePages('announcements', (page, signal) => call(listAnnouncements, { query: page, signal }));
  useEvents(['announcement-published'], pages.reload);
  const list = (
    <>
      <ScreenHead />
      <PagedList
        of={pages}
        className="entries"
        by="id"
        empty={<EmptyState icon="announcements" title={news.none} text={news.noneText} />}
      >
        {announcement => <AnnouncementLine announcement={announcement} isHere={announcement.id === id} />}
      </PagedList>
    </>
  );
  const detail = id === '' ? null : <AnnouncementView key={id} id={id} onRead={pages.reload} />;
  return <Panes label={title} hint={news.choose} list={list} detail={detail} />;
}

const tones = {
  [announcementPriority.NORMAL]: '',
  [announcementPriority.IMPORTANT]: 'open',
  [announcementPriority.URGENT]: 'bad',
} as const;

type Line = { readonly announcement: Announcement; readonly isHere: boolean };

function AnnouncementLine({ announcement, isHere }: Line) {
  const { news } = useWords(socialWords);
  const language = useLanguage();
  const { id, title, isRead, publishedAt } = announcement;
  return (
    <a className="faceless" href={toHref(`announcements/${id}`)} {...(isHere && { 'aria-current': true })}>
      <span className="name">
        <bdi className="cut">
          <strong>{title}</strong>
        </bdi>
      </span>
      <time className="quiet small">{formatTime(publishedAt, language)}</time>
      <span className="about">
        {!isRead && <span className="chip good">{news.isNew}</span>}
        <Marks announcement={announcement} />
      </span>
    </a>
  );
}

function Marks({ announcement: { priority, isPinned } }: { readonly announcement: Announcement }) {
  const { news } = useWords(socialWords);
  return (
    <>
      {priority !== announcementPriority.NORMAL && (
        <span className={`chip ${tones[priority]}`}>{news.priority[priority]}</span>
      )}
      {isPinned && <span className="chip">{news.pinned}</span>}
    </>
  );
}

function AnnouncementView({ id, onRead }: { readonly id: string; readonly onRead: () => void }) {
  const language = useLanguage();
  const { call } = useBridge();
  const { state, reload } = useLoad(id, signal => call(getAnnouncement, { params: { id }, signal }));
  const isNew = state.kind === 'ready' && !state.value.isRead;
  useMarkRead(isNew ? id : null, () => call(readAnnouncement, { params: { id } }), onRead);
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  const announcement = state.value;
  return (
    <>
      <PaneHead title={announcement.title} back={toHref('announcements')} />
      <div className="scroll">
        <p className="about">
          <span>{formatTime(announcement.publishedAt, language)}</span>
          <Marks announcement={announcement} />
        </p>
        <MarkdownView text={announcement.content} />
      </div>
    </>
  );
}

const toNode = ({ kind, text }: Span): ReactNode => (kind === 'text' ? text : createElement(kind, null, text));

const toItem = (spans: readonly Span[]): ReactNode => createElement('li', null, ...spans.map(toNode));

function toElement(block: Block): ReactNode {
  switch (block.kind) {
    case 'heading':
      return createElement('h3', null, ...block.spans.map(toNode));
    case 'paragraph':
      return createElement('p', null, ...block.spans.map(toNode));
    case 'code':
      return createElement('pre', null, block.text);
    case 'list':
      return createElement(block.isNumbered ? 'ol' : 'ul', null, ...block.items.map(toItem));
  }
}

const MarkdownView = ({ text }: { readonly text: string }) =>
  createElement('div', { className: 'prose', dir: 'auto' }, ...parseMarkdown(text).map(toElement));
