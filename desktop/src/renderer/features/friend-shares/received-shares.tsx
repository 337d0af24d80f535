// Shares from friends: unread ones are highlighted until they are opened.
import {
  type FriendShareDetails,
  listReceivedShares,
  readFriendShare,
  saveFriendFiles,
} from '@recordproof/shared/api/friend-shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useAccount, useBridge, useWords } from '../../context.ts';
import { toHref } from '../../router.ts';
import { useMarkRead } from '../../ui/badges.tsx';
import { useEvents, usePages } from '../../ui/hooks.ts';
import { Panes } from '../../ui/panes.tsx';
import { SaveSharedButton } from '../shares/save-shared-button.tsx';
import { FriendShareView, ShareLines } from './friend-share-view.tsx';

export function ReceivedShares({ id }: { readonly id: string }) {
  const { gifts: texts } = useWords(socialWords);
  const { call } = useBridge();
  const pages = usePages('received', (page, signal) => call(listReceivedShares, { query: page, signal }));
  useEvents(['friend-share'], pages.reload);
  const list = (
    <ShareLines
      pages={pages}
      part="shares/received"
      at={id}
      personOf={share => share.sharer}
      isNew={share => share.readAt === null}
      empty={{ title: texts.noneReceived, text: texts.noneReceivedText }}
    />
  );
  const detail = id === '' ? null : <Received key={id} id={id} onRead={pages.reload} />;
  return <Panes label={texts.received} hint={texts.choose} list={list} detail={detail} />;
}

function Received({ id, onRead }: { readonly id: string; readonly onRead: () => void }) {
  const { gifts: texts } = useWords(socialWords);
  const { call } = useBridge();
  const save = async (share: FriendShareDetails) => {
    await call(saveFriendFiles, { params: { id: share.id }, body: {} });
  };
  return (
    <FriendShareView id={id} personOf={share => share.sharer} back={toHref('shares/received')}>
      {share => (
        <>
          <MarkRead share={share} onRead={onRead} />
          {share.files.length > 0 && <SaveSharedButton save={() => save(share)} hint={texts.saveHint} />}
        </>
      )}
    </FriendShareView>
  );
}

type Marking = { readonly share: FriendShareDetails; readonly onRead: () => void };

/** An opened share is marked as read. */
function MarkRead({ share: { id, readAt }, onRead }: Marking) {
  const { call } = useBridge();
  const may = useAccount().permissions.includes('friend:write');
  useMarkRead(readAt === null && may ? id : null, () => call(readFriendShare, { params: { id } }), onRead);
  return null;
}
