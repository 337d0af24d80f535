// Actions on a drop link: copy, QR code, arrivals, change, close, reopen, delete.
import { type DropLink, deleteDropLink, listDropArrivals, updateDropLink } from '@recordproof/shared/api/drop-links.ts';
import { joinPath } from '@recordproof/shared/file-path.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { socialWords } from '@recordproof/shared/words/app-social.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { toHref } from '../../router.ts';
import { Button, type ButtonVariant } from '../../ui/button.tsx';
import { ActButton, CopyButton } from '../../ui/buttons.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
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
  const remove = async () => {
    await call(deleteDropLink, { params: { id } });
    onChanged();
  };
  const button = (what: Asking, label: string, variant: ButtonVariant = 'plain') => (
    <Button label={label} of={title} variant={variant} onClick={() => setAsking(what)} />
  );
  return (
    <div className="actions">
      {state === 'OPEN' && <CopyButton text={toDropLink(session.serverUrl(), code)} label={title} />}
      {state === 'OPEN' && button('link', links.qr)}
      {button('arrivals', texts.showArrivals)}
      {button('change', texts.change)}
      {state === 'CLOSED' ? (
        <ActButton label={texts.reopen} of={title} variant="plain" act={() => setClosed(false)} />
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

function ArrivalsDialog({ link, onClose }: { readonly link: DropLink; readonly onClose: () => void }) {
  const texts = useWords(dropLinkWords);
  const language = useLanguage();
  const { call } = useBridge();
  const pages = usePages(`arrivals-${link.id}`, (query, signal) =>
    call(listDropArrivals, { params: { id: link.id }, query, signal }),
  );
  return (
    <Dialog title={texts.arrivalsTitle(toShownName(link.title))} onClose={onClose}>
      <p>
        <a href={toHref('files', { folder: link.path ?? '' })} onClick={onClose}>
          {texts.openFolder}
        </a>
      </p>
      <PagedList
        of={pages}
        className="form"
        label={texts.showArrivals}
        by="id"
        empty={<p className="quiet">{texts.noArrivals}</p>}
      >
        {one => (
          <>
            <p className="cut">
              <strong dir="auto">{toShownName(joinPath(one.path ?? '', one.fileName))}</strong>
            </p>
            <p className="quiet small number">
              {formatSize(one.fileSize)} · {formatTime(one.receivedAt, language)} · {texts.proofs[one.proofStatus]} ·{' '}
              {one.ip}
            </p>
            {Object.entries(one.fields).map(([label, value]) => (
              <p className="small" key={label} dir="auto">
                {toShownName(label)}: {toShownName(value)}
              </p>
            ))}
          </>
        )}
      </PagedList>
    </Dialog>
  );
}
