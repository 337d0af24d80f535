import { revokeShare, type Share, shareStatuses } from '@recordproof/shared/api/shares.ts';
import { useState } from 'react';
import { useBridge, useSay } from '../../surroundings.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { toShareLink } from './share-dialog.tsx';
import { ShareLog } from './share-log.tsx';

export function ShareActions({ share, onChanged }: { readonly share: Share; readonly onChanged: () => void }) {
  const { sharing: say } = useSay();
  const { call, session } = useBridge();
  const [asking, setAsking] = useState<'log' | 'end' | null>(null);
  const { shareCode: code, status, files } = share;
  const name = files[0]?.fileName ?? code;
  const close = () => setAsking(null);
  const end = async () => {
    await call(revokeShare, { params: { code } });
    onChanged();
  };
  return (
    <div className="actions">
      {status === shareStatuses.ACTIVE && <CopyButton text={toShareLink(session.serverUrl(), code)} label={name} />}
      <button type="button" className="plain" aria-label={`${say.log}: ${name}`} onClick={() => setAsking('log')}>
        {say.log}
      </button>
      {status === shareStatuses.ACTIVE && (
        <button type="button" className="danger" aria-label={`${say.end}: ${name}`} onClick={() => setAsking('end')}>
          {say.end}
        </button>
      )}
      {asking === 'log' && <ShareLog code={code} onClose={close} />}
      {asking === 'end' && <AskDialog title={say.endAsk} text={say.endText} yes={say.end} act={end} onClose={close} />}
    </div>
  );
}
