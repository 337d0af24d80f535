// Links to own files: their expiry, their use, and the actions on them.

import { listShares, type Share, shareStatuses, shareTypes } from '@recordproof/shared/api/shares.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { ShareActions } from './share-actions.tsx';

export function LinkShares() {
  const { sharing } = useTexts();
  const { call } = useBridge();
  const pages = usePages('links', (page, signal) => call(listShares, { query: page, signal }));
  return (
    <PagedList of={pages} empty={<EmptyState icon="shares" title={sharing.empty} text={sharing.emptyText} />}>
      {shares => (
        <ul className="items area">
          {shares.map(share => (
            <li key={share.shareCode}>
              <ShareItem share={share} onChanged={pages.reload} />
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  );
}

const badges = {
  [shareStatuses.ACTIVE]: { tone: 'good', word: 'active' },
  [shareStatuses.CANCELLED]: { tone: '', word: 'cancelled' },
  [shareStatuses.EXPIRED]: { tone: '', word: 'expired' },
} as const;

const usedUp = { tone: '', word: 'usedUp' } as const;

function toTitle({ folder, files: [first] }: Share): string | null {
  if (folder) return toShownName(`${folder.path}/`);
  return first ? toShownName(first.fileName) : null;
}

function ShareItem({ share, onChanged }: { readonly share: Share; readonly onChanged: () => void }) {
  const { sharing: sharingTexts, list } = useTexts();
  const { links } = useWords(socialWords);
  const language = useLanguage();
  const isUsedUp = share.maxAccesses !== null && share.accessCount >= share.maxAccesses;
  const { tone, word } = share.status === shareStatuses.ACTIVE && isUsedUp ? usedUp : badges[share.status];
  return (
    <>
      <div className="name">
        <strong className="cut">{share.title ?? toTitle(share) ?? list.files(0)}</strong>
        {share.title && <span className="cut">{toTitle(share)}</span>}
        {!share.folder && share.files.length > 1 && <span className="cut">+ {list.files(share.files.length - 1)}</span>}
      </div>
      <ShareActions share={share} onChanged={onChanged} />
      <p className="about wide">
        <span className={`chip ${tone}`}>{sharingTexts[word]}</span>
        <span>{sharingTexts.until(formatTime(share.expireTime, language))}</span>
        {share.folder?.includesLater && <span>{links.withLater}</span>}
        {share.shareType === shareTypes.PRIVATE && <span>{links.privateOne}</span>}
        {share.hasPassword && <span>{sharingTexts.withPassword}</span>}
        <span className="number">
          {share.maxAccesses === null
            ? sharingTexts.opened(share.accessCount)
            : links.openedOf(share.accessCount, share.maxAccesses)}
        </span>
        <span className="number">{sharingTexts.downloaded(share.downloadCount)}</span>
      </p>
    </>
  );
}
