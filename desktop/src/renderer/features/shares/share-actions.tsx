import { revokeShare, type Share, shareStatuses } from '@recordproof/shared/api/shares.ts';
import { useState } from 'react';
import { useSocialSay } from '../../social-say.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { LinkView } from './link-view.tsx';
import { toShareLink } from './share-link.ts';
import { ShareLog } from './share-log.tsx';

type Asking = 'link' | 'change' | 'log' | 'end';

export function ShareActions({ share, onChanged }: { readonly share: Share; readonly onChanged: () => void }) {
  const { sharing: say } = useSay();
  const { links } = useSocialSay();
  const { call, session } = useBridge();
  const [asking, setAsking] = useState<Asking | null>(null);
  const { shareCode: code, status, files } = share;
  const name = files[0]?.fileName ?? code;
  const close = () => setAsking(null);
  const end = async () => {
    await call(revokeShare, { params: { code } });
    onChanged();
  };
  const button = (what: Asking, label: string, look = 'plain') => (
    <button type="button" className={look} aria-label={`${label}: ${name}`} onClick={() => setAsking(what)}>
      {label}
    </button>
  );
  const isActive = status === shareStatuses.ACTIVE;
  return (
    <div className="actions">
      {isActive && <CopyButton text={toShareLink(session.serverUrl(), code)} label={name} />}
      {isActive && button('link', links.qr)}
      {status !== shareStatuses.CANCELLED && button('change', links.change)}
      {button('log', say.log)}
      {isActive && button('end', say.end, 'danger')}
      {asking === 'link' && (
        <Dialog title={say.link} onClose={close}>
          <LinkView code={code} />
        </Dialog>
      )}
      {asking === 'change' && <ChangeDialog share={share} onChanged={onChanged} onClose={close} />}
      {asking === 'log' && <ShareLog code={code} onClose={close} />}
      {asking === 'end' && <AskDialog title={say.endAsk} text={say.endText} yes={say.end} act={end} onClose={close} />}
    </div>
  );
}
