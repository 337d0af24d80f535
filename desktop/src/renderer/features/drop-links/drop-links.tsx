// Own drop links: their state, arrived files, and actions.
import { type DropLink, listDropLinks } from '@recordproof/shared/api/drop-links.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { dropLinkWords } from '@recordproof/shared/words/app-drops.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { useEvents, usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { CreateDropDialog } from './create-drop-dialog.tsx';
import { DropActions } from './drop-actions.tsx';

export function CreateDropButton({ onCreated }: { readonly onCreated: () => void }) {
  const texts = useWords(dropLinkWords);
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <Button label={texts.create} onClick={() => setCreating(true)} />
      {isCreating && <CreateDropDialog folder="" onCreated={onCreated} onClose={() => setCreating(false)} />}
    </>
  );
}

export function DropLinks() {
  const texts = useWords(dropLinkWords);
  const { call } = useBridge();
  const pages = usePages('drop-links', (page, signal) => call(listDropLinks, { query: page, signal }));
  useEvents(['drop-arrived'], pages.reload);
  return (
    <PagedList
      of={pages}
      className="items area"
      by="id"
      empty={<EmptyState icon="shares" title={texts.empty} text={texts.emptyText} />}
    >
      {link => <DropItem link={link} onChanged={pages.reload} />}
    </PagedList>
  );
}

function DropItem({ link, onChanged }: { readonly link: DropLink; readonly onChanged: () => void }) {
  const texts = useWords(dropLinkWords);
  const { sharing } = useTexts();
  const language = useLanguage();
  const { state, title, path, arrivedFiles, maxFiles, arrivedBytes } = link;
  return (
    <>
      <div className="name">
        <strong className="cut" dir="auto">
          {toShownName(title)}
        </strong>
        <span className="cut">{texts.into(path === null ? texts.topLevel : toShownName(path))}</span>
      </div>
      <DropActions link={link} onChanged={onChanged} />
      <p className="about wide">
        <span className={`chip ${state === 'OPEN' ? 'good' : ''}`}>{texts.states[state]}</span>
        <span>{sharing.until(formatTime(link.expireTime, language))}</span>
        {link.hasPassword && <span>{sharing.withPassword}</span>}
        <span className="number">{texts.arrived(arrivedFiles, maxFiles, formatSize(arrivedBytes))}</span>
      </p>
    </>
  );
}
