// Lines of a list of shares between friends.

import type { Person } from '@recordproof/shared/api/accounts.ts';
import type { FriendShare } from '@recordproof/shared/api/friend-shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { toHref } from '../../router.ts';
import type { usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { Avatar, PersonName } from '../../ui/person.tsx';
import { EmptyState } from '../../ui/states.tsx';

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
    <PagedList of={pages} empty={<EmptyState icon="shares" {...empty} />}>
      {shares => (
        <ul className="entries">
          {shares.map(share => (
            <li key={share.id}>
              <a href={toHref(`${part}/${share.id}`)} {...(at === share.id && { 'aria-current': true })}>
                <Avatar person={personOf(share)} />
                <PersonName person={personOf(share)} />
                <time className="quiet small">{formatTime(share.createdAt, language)}</time>
                <bdi className="cut quiet">{share.message || list.files(share.fileCount)}</bdi>
                {isNew(share) && <span className="dot" role="img" aria-label={texts.isNew} />}
              </a>
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  );
}
