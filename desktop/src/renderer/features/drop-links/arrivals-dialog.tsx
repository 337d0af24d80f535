// Dialog with the files that arrived through a drop link, and their senders.

import { type DropLink, listDropArrivals } from '@recordproof/shared/api/drop-links.ts';
import { joinPath } from '@recordproof/shared/file-path.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { toHref } from '../../router.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';

export function ArrivalsDialog({ link, onClose }: { readonly link: DropLink; readonly onClose: () => void }) {
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
      <PagedList of={pages} empty={<p className="quiet">{texts.noArrivals}</p>}>
        {arrivals => (
          <ul className="form" aria-label={texts.showArrivals}>
            {arrivals.map(one => (
              <li key={one.id}>
                <p className="cut">
                  <strong dir="auto">{toShownName(joinPath(one.path ?? '', one.fileName))}</strong>
                </p>
                <p className="quiet small number">
                  {formatSize(one.fileSize)} · {formatTime(one.receivedAt, language)} · {texts.proofs[one.proofStatus]}{' '}
                  · {one.ip}
                </p>
                {Object.entries(one.fields).map(([label, value]) => (
                  <p className="small" key={label} dir="auto">
                    {toShownName(label)}: {toShownName(value)}
                  </p>
                ))}
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </Dialog>
  );
}
