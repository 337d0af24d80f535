// List of the tray: the transfers that it counts, unfinished ones first.
import { useTexts } from '../../context.ts';
import { toHref } from '../../router.ts';
import { DownloadItem, UploadItem } from './transfer-items.tsx';
import type { Tray } from './tray-state.ts';

const mostShown = 30;

export function TrayList({ tray: { transfers } }: { readonly tray: Tray }) {
  const { tray: trayTexts, transfer } = useTexts();
  const [open, done] = [transfers.filter(one => !isDone(one)), transfers.filter(isDone).toReversed()];
  const shown = [...open, ...done].slice(0, mostShown);
  return (
    <>
      <ul className="items">
        {shown.map(one => (
          <li key={one.id}>{'wanted' in one ? <DownloadItem download={one} /> : <UploadItem upload={one} />}</li>
        ))}
      </ul>
      <p className="small">
        <a href={toHref('transfers')}>{trayTexts.all}</a>{' '}
        {transfers.length > mostShown && (
          <span className="quiet">{transfer.andMore(transfers.length - mostShown)}</span>
        )}
      </p>
    </>
  );
}

const isDone = ({ state }: Tray['transfers'][number]): boolean => state.kind === 'done';
