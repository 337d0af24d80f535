// Dialog that shares files or a folder: by a link, or its files with a friend.
import type { File } from '@recordproof/shared/api/files.ts';
import { maxSharedFiles } from '@recordproof/shared/api/shares.ts';
import { lastPart } from '@recordproof/shared/file-path.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useAccount, useBridge, useTexts, useWords } from '../../context.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useDraft } from '../../ui/drafts.ts';
import { Segments } from '../../ui/form.tsx';
import { FriendForm } from '../friend-shares/friend-form.tsx';
import { LinkForm } from './link-form.tsx';
import { LinkView } from './link-view.tsx';
import { toShareLink } from './share-link.ts';

type Sharing = {
  readonly files: readonly File[];
  /** The owner of the files, from the first of them. */
  readonly folder?: { readonly path: string; readonly total: number };
  readonly onClose: () => void;
};
type ShareResult =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'link'; readonly code: string }
  | { readonly kind: 'sent'; readonly to: string };

export function ShareDialog({ files, folder, onClose }: Sharing) {
  const { sharing } = useTexts();
  const { links, gifts } = useWords(socialWords);
  const { session } = useBridge();
  const maySend = useAccount().permissions.includes('friend:share');
  const [way, setWay] = useDraft<'link' | 'friend'>('share-way', 'link');
  const [result, setResult] = useState<ShareResult>({ kind: 'nothing' });
  if (result.kind === 'link')
    return (
      <Dialog title={sharing.ready} onClose={onClose}>
        <LinkView link={toShareLink(session.serverUrl(), result.code)} qrLabel={links.qrLabel} />
      </Dialog>
    );
  if (result.kind === 'sent')
    return (
      <Dialog title={gifts.sentTitle} onClose={onClose}>
        <p role="status">{gifts.sentTo(result.to)}</p>
      </Dialog>
    );
  const total = folder?.total ?? files.length;
  const canSend = maySend && total > 0 && total <= maxSharedFiles;
  const title = folder ? links.folderTitle(toShownName(lastPart(folder.path))) : sharing.title(files.length);
  if (folder === undefined && total > maxSharedFiles)
    return (
      <Dialog title={sharing.title(files.length)} onClose={onClose}>
        <p role="alert">{sharing.tooMany(maxSharedFiles, files.length)}</p>
      </Dialog>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="form">
        {canSend && (
          <Segments
            label={links.way}
            value={way}
            options={{ link: links.byLink, friend: links.toFriend }}
            onChoose={setWay}
          />
        )}
        {canSend && way === 'friend' ? (
          <FriendForm files={files} onSent={to => setResult({ kind: 'sent', to })} />
        ) : (
          <LinkForm
            files={files}
            folder={folder?.path}
            onMade={({ shareCode: code }) => setResult({ kind: 'link', code })}
          />
        )}
      </div>
    </Dialog>
  );
}
