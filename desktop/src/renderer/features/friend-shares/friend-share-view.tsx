// Shares between friends: the lines of a list, and the open one with its note and files.
import type { Person } from '@recordproof/shared/api/accounts.ts';
import { type FriendShare, type FriendShareDetails, getFriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import type { ReactNode } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { toHref } from '../../router.ts';
import { useLoad, type usePages } from '../../ui/hooks.ts';
import type { FoundFile } from '../../ui/open-viewer.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { PaneHead } from '../../ui/panes.tsx';
import { Avatar, PersonName, toName } from '../../ui/person.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { type SharedEntry, SharedFiles } from '../shares/shared-files.tsx';

type View = {
  readonly id: string;
  readonly personOf: (share: FriendShareDetails) => Person;
  readonly back: string;
  readonly children: (share: FriendShareDetails) => ReactNode;
};

export function FriendShareView({ id, personOf, back, children }: View) {
  const { list } = useTexts();
  const { gifts: texts } = useWords(socialWords);
  const language = useLanguage();
  const { call, downloads } = useBridge();
  const { state, reload } = useLoad(id, signal => call(getFriendShare, { params: { id }, signal }));
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  const share = state.value;
  const fetch = ({ fileHash, fileName, fileSize: size }: SharedEntry) =>
    downloads.start({ kind: 'friend-file', shareId: id, fileHash, fileName, size });
  const find = async ({ fileHash }: SharedEntry): Promise<FoundFile | undefined> => {
    const file = share.files.find(one => one.fileHash === fileHash);
    return file && { file, source: { kind: 'friend-file', shareId: id, fileHash } };
  };
  return (
    <>
      <PaneHead title={toName(personOf(share))} back={back} />
      <div className="scroll">
        <div className="form">
          <p className="about">
            <span>{formatTime(share.createdAt, language)}</span>
            <span>{list.files(share.files.length)}</span>
          </p>
          {share.message !== '' && (
            <p className="note" dir="auto">
              {share.message}
            </p>
          )}
          {share.files.length < share.fileCount && (
            <p className="quiet">{texts.missing(share.fileCount - share.files.length)}</p>
          )}
          {children(share)}
          <SharedFiles files={share.files} fetch={fetch} find={find} />
        </div>
      </div>
    </>
  );
}

type Lines = {
  readonly pages: ReturnType<typeof usePages<FriendShare>>;
  /** Address of the screen that shows the share. */
  readonly part: string;
  readonly at: string;
  readonly personOf: (share: FriendShare) => Person;
  readonly isNew: (share: FriendShare) => boolean;
  readonly empty: { readonly title: string; readonly text: string };
};

export function ShareLines({ pages, part, at, personOf, isNew, empty }: Lines) {
  const { list } = useTexts();
  const { gifts: texts } = useWords(socialWords);
  const language = useLanguage();
  return (
    <PagedList of={pages} className="entries" by="id" empty={<EmptyState icon="shares" {...empty} />}>
      {share => (
        <a href={toHref(`${part}/${share.id}`)} {...(at === share.id && { 'aria-current': true })}>
          <Avatar person={personOf(share)} />
          <PersonName person={personOf(share)} />
          <time className="quiet small">{formatTime(share.createdAt, language)}</time>
          <bdi className="cut quiet">{share.message || list.files(share.fileCount)}</bdi>
          {isNew(share) && <span className="dot" role="img" aria-label={texts.isNew} />}
        </a>
      )}
    </PagedList>
  );
}
