// Actions on a drop link: copy, QR code, arrivals, change, close, reopen, delete.

import { type DropLink, deleteDropLink, updateDropLink } from '@recordproof/shared/api/drop-links.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { CopyButton } from '../../ui/buttons.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { useAction } from '../../ui/hooks.ts';
import { ArrivalsDialog } from './arrivals-dialog.tsx';
import { ChangeDropDialog } from './change-drop-dialog.tsx';
import { DropLinkView, toDropLink } from './drop-link-view.tsx';

type Asking = 'link' | 'arrivals' | 'change' | 'close' | 'remove';
type Acting = { readonly link: DropLink; readonly onChanged: () => void };

export function DropActions({ link, onChanged }: Acting) {
  const texts = useWords(dropLinkWords);
  const { links } = useWords(socialWords);
  const { call, session } = useBridge();
  const [asking, setAsking] = useState<Asking | null>(null);
  const { id, code, state } = link;
  const title = toShownName(link.title);
  const done = () => setAsking(null);
  const setClosed = async (closed: boolean) => {
    await call(updateDropLink, { params: { id }, body: { closed } });
    onChanged();
  };
  const reopen = useAction(() => setClosed(false));
  const remove = async () => {
    await call(deleteDropLink, { params: { id } });
    onChanged();
  };
  const button = (what: Asking, label: string, variant = 'plain') => (
    <button type="button" className={variant} aria-label={`${label}: ${title}`} onClick={() => setAsking(what)}>
      {label}
    </button>
  );
  return (
    <div className="actions">
      {state === 'OPEN' && <CopyButton text={toDropLink(session.serverUrl(), code)} label={title} />}
      {state === 'OPEN' && button('link', links.qr)}
      {button('arrivals', texts.showArrivals)}
      {button('change', texts.change)}
      {state === 'CLOSED' ? (
        <button type="button" className="plain" disabled={reopen.isBusy} onClick={() => reopen.run()}>
          {texts.reopen}
        </button>
      ) : (
        button('close', texts.close)
      )}
      {button('remove', texts.remove, 'danger')}
      {asking === 'link' && (
        <Dialog title={texts.readyTitle} onClose={done}>
          <DropLinkView code={code} />
        </Dialog>
      )}
      {asking === 'arrivals' && <ArrivalsDialog link={link} onClose={done} />}
      {asking === 'change' && <ChangeDropDialog link={link} onChanged={onChanged} onClose={done} />}
      {asking === 'close' && (
        <AskDialog
          title={texts.closeAsk(title)}
          text={texts.closeText}
          yes={texts.close}
          act={() => setClosed(true)}
          onClose={done}
        />
      )}
      {asking === 'remove' && (
        <AskDialog
          title={texts.removeAsk(title)}
          text={texts.removeText}
          yes={texts.remove}
          act={remove}
          onClose={done}
        />
      )}
    </div>
  );
}
