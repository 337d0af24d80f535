// Actions on a link: copy, QR code, change, access log, cancel.

import { listShareLogs } from '@recordproof/shared/api/share-logs.ts';
import { revokeShare, type Share, shareStatuses } from '@recordproof/shared/api/shares.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { CopyButton } from '../../ui/buttons.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { LinkView } from './link-view.tsx';
import { toShareLink } from './share-link.ts';

type Asking = 'link' | 'change' | 'log' | 'end';

export function ShareActions({ share, onChanged }: { readonly share: Share; readonly onChanged: () => void }) {
  const { sharing: texts } = useTexts();
  const { links } = useWords(socialWords);
  const { call, session } = useBridge();
  const [asking, setAsking] = useState<Asking | null>(null);
  const { shareCode: code, status, files } = share;
  const name = files[0]?.fileName ?? code;
  const close = () => setAsking(null);
  const end = async () => {
    await call(revokeShare, { params: { code } });
    onChanged();
  };
  const button = (what: Asking, label: string, variant = 'plain') => (
    <button type="button" className={variant} aria-label={`${label}: ${name}`} onClick={() => setAsking(what)}>
      {label}
    </button>
  );
  const isActive = status === shareStatuses.ACTIVE;
  return (
    <div className="actions">
      {isActive && <CopyButton text={toShareLink(session.serverUrl(), code)} label={name} />}
      {isActive && button('link', links.qr)}
      {status !== shareStatuses.CANCELLED && button('change', links.change)}
      {button('log', texts.log)}
      {isActive && button('end', texts.end, 'danger')}
      {asking === 'link' && (
        <Dialog title={texts.link} onClose={close}>
          <LinkView link={toShareLink(session.serverUrl(), code)} qrLabel={links.qrLabel} />
        </Dialog>
      )}
      {asking === 'change' && <ChangeDialog share={share} onChanged={onChanged} onClose={close} />}
      {asking === 'log' && <ShareLog code={code} onClose={close} />}
      {asking === 'end' && (
        <AskDialog title={texts.endAsk} text={texts.endText} yes={texts.end} act={end} onClose={close} />
      )}
    </div>
  );
}

function ShareLog({ code, onClose }: { readonly code: string; readonly onClose: () => void }) {
  const texts = useTexts();
  const language = useLanguage();
  const { call } = useBridge();
  const { state } = useLoad(code, signal => call(listShareLogs, { params: { code }, query: { size: 50 }, signal }));
  return (
    <Dialog title={texts.sharing.logTitle} onClose={onClose}>
      {state.kind === 'loading' && <p className="quiet">{texts.loading}</p>}
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && state.value.total === 0 && <p className="quiet">{texts.sharing.logEmpty}</p>}
      {state.kind === 'ready' && (
        <ul className="form">
          {state.value.records.map(({ id, actionType, actorName, ip, fileName, accessTime }) => (
            <li key={id}>
              <p>
                {actorName ?? texts.sharing.visitor} {texts.sharing.action[actionType]} {toShownName(fileName ?? '')}
              </p>
              <p className="quiet small number">
                {formatTime(accessTime, language)} · {ip}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
