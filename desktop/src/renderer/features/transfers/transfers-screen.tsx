// Transfers screen: uploads and downloads, the newest first.
import type { ReactNode } from 'react';
import { useBridge, useLanguage, useTexts, useWatched } from '../../context.ts';
import { formatNumber, formatSize } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { ScreenHead } from '../../ui/panes.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { sumOf } from './sum.ts';
import { DownloadItem, UploadItem } from './transfer-items.tsx';

const mostShown = 200;

type Area<T> = { readonly title: string; readonly items: readonly T[]; readonly show: (item: T) => ReactNode };

function Items<T extends { readonly id: string }>({ title, items, show }: Area<T>) {
  const texts = useTexts().transfer;
  const newest = items.toReversed().slice(0, mostShown);
  if (items.length === 0) return null;
  return (
    <section className="area">
      <h2>{title}</h2>
      <ul className="items">
        {newest.map(item => (
          <li key={item.id}>{show(item)}</li>
        ))}
      </ul>
      {items.length > mostShown && <p className="quiet small">{texts.andMore(items.length - mostShown)}</p>}
    </section>
  );
}

export function TransfersScreen() {
  const texts = useTexts();
  const language = useLanguage();
  const { uploads, downloads } = useBridge();
  const sent = useWatched(uploads.list);
  const fetched = useWatched(downloads.list);
  const { done, all } = sumOf([...sent, ...fetched]);
  const hasDone = [...sent, ...fetched].some(({ state }) => state.kind === 'done');
  const clear = () => Promise.all([uploads.clear(), downloads.clear()]);
  return (
    <>
      <ScreenHead>
        {sent.length + fetched.length > 0 && (
          <p className="quiet number">
            {texts.transfer.sum(
              formatNumber(done.files, language),
              formatNumber(all.files, language),
              formatSize(done.bytes),
              formatSize(all.bytes),
            )}
          </p>
        )}
        <div className="actions">
          {hasDone && <Button label={texts.transfer.clear} variant="plain" onClick={clear} />}
        </div>
      </ScreenHead>
      {sent.length + fetched.length === 0 ? (
        <EmptyState icon="transfers" title={texts.transfer.none} text={texts.transfer.noneText} />
      ) : (
        <div className="scroll">
          <Items title={texts.transfer.uploads} items={sent} show={upload => <UploadItem upload={upload} />} />
          <Items title={texts.transfer.downloads} items={fetched} show={one => <DownloadItem download={one} />} />
        </div>
      )}
    </>
  );
}
