// Shares to friends: whether they were read, and how to withdraw them.
import {
  cancelFriendShare,
  type FriendShareDetails,
  friendShareStatus,
  listSentShares,
} from '@recordproof/shared/api/friend-shares.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { go, toHref } from '../../router.ts';
import { AskButton } from '../../ui/dialog.tsx';
import { usePages } from '../../ui/hooks.ts';
import { Panes } from '../../ui/panes.tsx';
import { FriendShareView, ShareLines } from './friend-share-view.tsx';

export function SentShares({ id }: { readonly id: string }) {
  const { gifts: texts } = useWords(socialWords);
  const { call } = useBridge();
  const pages = usePages('sent', (page, signal) => call(listSentShares, { query: page, signal }));
  const list = (
    <ShareLines
      pages={pages}
      part="shares/sent"
      at={id}
      personOf={share => share.friend}
      isNew={() => false}
      empty={{ title: texts.noneSent, text: texts.noneSentText }}
    />
  );
  const detail =
    id === '' ? null : (
      <FriendShareView key={id} id={id} personOf={share => share.friend} back={toHref('shares/sent')}>
        {share => <SentState share={share} onChanged={pages.reload} />}
      </FriendShareView>
    );
  return <Panes label={texts.sent} hint={texts.choose} list={list} detail={detail} />;
}

type Sent = { readonly share: FriendShareDetails; readonly onChanged: () => void };

function SentState({ share, onChanged }: Sent) {
  const { gifts: texts } = useWords(socialWords);
  const language = useLanguage();
  const { call } = useBridge();
  const takeBack = async () => {
    await call(cancelFriendShare, { params: { id: share.id } });
    onChanged();
    go('shares/sent');
  };
  if (share.status === friendShareStatus.CANCELLED) return <p className="quiet">{texts.takenBack}</p>;
  return (
    <div className="actions">
      <span className="quiet small">
        {share.readAt === null ? texts.unseen : texts.seen(formatTime(share.readAt, language))}
      </span>
      <AskButton label={texts.takeBack} title={texts.takeBackAsk} text={texts.takeBackText} act={takeBack} />
    </div>
  );
}
