// Dialog that shares files: by a link, or with a friend.
import type { File } from '@recordproof/shared/api/files.ts';
import { useState } from 'react';
import { useAccount, useSay } from '../../context.ts';
import { useSocialSay } from '../../social-say.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Segments } from '../../ui/form.tsx';
import { FriendForm } from '../friend-shares/friend-form.tsx';
import { LinkForm } from './link-form.tsx';
import { LinkView } from './link-view.tsx';

type Sharing = { readonly files: readonly File[]; readonly onClose: () => void };
type Given =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'link'; readonly code: string }
  | { readonly kind: 'sent'; readonly to: string };

export function ShareDialog({ files, onClose }: Sharing) {
  const { sharing } = useSay();
  const { links, gifts } = useSocialSay();
  const maySend = useAccount().permissions.includes('friend:share');
  const [way, setWay] = useState<'link' | 'friend'>('link');
  const [given, setGiven] = useState<Given>({ kind: 'nothing' });
  if (given.kind === 'link')
    return (
      <Dialog title={sharing.ready} onClose={onClose}>
        <LinkView code={given.code} />
      </Dialog>
    );
  if (given.kind === 'sent')
    return (
      <Dialog title={gifts.sentTitle} onClose={onClose}>
        <p role="status">{gifts.sentTo(given.to)}</p>
      </Dialog>
    );
  return (
    <Dialog title={sharing.title(files.length)} onClose={onClose}>
      <div className="form">
        {maySend && (
          <Segments
            label={links.way}
            value={way}
            options={{ link: links.byLink, friend: links.toFriend }}
            onChoose={setWay}
          />
        )}
        {way === 'link' ? (
          <LinkForm files={files} onMade={({ shareCode: code }) => setGiven({ kind: 'link', code })} />
        ) : (
          <FriendForm files={files} onSent={to => setGiven({ kind: 'sent', to })} />
        )}
      </div>
    </Dialog>
  );
}
