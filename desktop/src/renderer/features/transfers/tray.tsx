// Tray of transfers on every screen: the number of finished files, the cause of waiting ones, and a link to the result.
// Changes of its state are announced; its progress is not. Key T opens and closes it.
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useBridge, useFeed, useLanguage, useTexts, useWatched } from '../../context.ts';
import { formatNumber } from '../../format.ts';
import { toHref } from '../../router.ts';
import { addStyles } from '../../styles.ts';
import { Icon } from '../../ui/icon.tsx';
import { lazyPart } from '../../ui/lazy.tsx';
import { trayEvent } from '../palette/shortcuts.tsx';
import { listDone } from './sum.ts';
import { type Tray, toResult, toTray } from './tray-state.ts';

const TrayList = lazyPart(async () => (await import('./tray-list.tsx')).TrayList);

type TransferTrayProps = {
  /** Transfers that were done when the app opened. */
  readonly before: readonly string[];
  /** The screen shows the transfers itself. */
  readonly isListed: boolean;
};

export function TransferTray({ before, isListed }: TransferTrayProps) {
  const { uploads, downloads } = useBridge();
  const all = [...useWatched(uploads.list), ...useWatched(downloads.list)];
  const [cleared, setCleared] = useState<ReadonlySet<string>>(() => new Set(before));
  const tray = toTray(all, cleared);
  return (
    <>
      <Announcement tray={tray} />
      {tray && !isListed && <TrayBar tray={tray} onClear={() => setCleared(new Set(listDone(all)))} />}
    </>
  );
}

/** A live region has to exist before its first text, so that screen readers announce it. */
function Announcement({ tray }: { readonly tray: Tray | null }) {
  const texts = useTexts();
  const text = tray === null ? '' : toAnnouncement(tray, texts);
  const [announced, setAnnounced] = useState('');
  useEffect(() => setAnnounced(text), [text]);
  return (
    <p className="unseen" aria-live="polite">
      {announced}
    </p>
  );
}

type Texts = Pick<ReturnType<typeof useTexts>, 'tray' | 'transfer'>;

function toAnnouncement({ phase, files, failed, isHandedOver }: Tray, { tray: trayTexts, transfer }: Texts): string {
  if (phase === 'running' || phase === 'waiting') return trayTexts.begun(files);
  if (phase === 'done' && isHandedOver) return transfer.handedOver;
  return phase === 'failed' ? trayTexts.failed(failed) : trayTexts.phases[phase];
}

type BarProps = { readonly tray: Tray; readonly onClear: () => void };

function TrayBar({ tray, onClear }: BarProps) {
  const { tray: trayTexts, transfers } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const press = () => {
      setOpen(now => !now);
      toggle.current?.focus();
    };
    addEventListener(trayEvent, press);
    return () => removeEventListener(trayEvent, press);
  }, []);
  const collapse = () => {
    setOpen(false);
    toggle.current?.focus();
  };
  return (
    <section
      className="tray"
      aria-label={transfers}
      onKeyDown={event => {
        if (event.key !== 'Escape' || !isOpen) return;
        event.stopPropagation();
        collapse();
      }}
    >
      <div className="tray-bar">
        <button
          ref={toggle}
          type="button"
          className="bare"
          aria-expanded={isOpen}
          aria-controls="tray-list"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'down' : 'up'} />
          <Summary tray={tray} />
        </button>
        <div className="actions">
          <Result tray={tray} />
          {tray.phase === 'done' && (
            <button type="button" className="bare" aria-label={trayTexts.hide} onClick={onClear}>
              <Icon name="close" />
            </button>
          )}
        </div>
        {tray.phase !== 'done' && (
          <progress className="wide" aria-label={trayTexts.progress} max={1} value={tray.share} />
        )}
      </div>
      <div id="tray-list" hidden={!isOpen}>
        {isOpen && <TrayList tray={tray} />}
      </div>
    </section>
  );
}

function Summary({ tray: { phase, done, files, failed, isHandedOver } }: { readonly tray: Tray }): ReactNode {
  const { tray: trayTexts, transfer } = useTexts();
  const language = useLanguage();
  const isCut = useFeed() === 'waiting' && phase === 'running';
  const count = trayTexts.count(formatNumber(done, language), formatNumber(files, language));
  return (
    <>
      <span className="number">{count}</span>
      {phase === 'done' && isHandedOver && <span className="cut">{transfer.handedOver}</span>}
      {phase === 'done' && !isHandedOver && (
        <span className="chip good">
          <Icon name="check" /> {transfer.done}
        </span>
      )}
      {phase !== 'done' && (
        <span className={phase === 'failed' || phase === 'needs-file' ? 'problem cut' : 'cut'}>
          {phase === 'failed' ? trayTexts.failed(failed) : isCut ? transfer.stalled : trayTexts.phases[phase]}
        </span>
      )}
    </>
  );
}

function Result({ tray }: { readonly tray: Tray }) {
  const { tray: texts } = useTexts();
  const result = toResult(tray);
  return result && <a href={toHref('files', result)}>{result.file === '' ? texts.showFolder : texts.showFile}</a>;
}

addStyles(`
.tray { flex: none; background: var(--surface); border-top: 1px solid var(--line); }
.tray-bar { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: 0 1rem; padding: 0.35rem 1.5rem; }
.tray-bar > button { justify-content: start; min-width: 0; min-height: 44px; }
.tray-bar .actions button, .tray-bar .actions a { display: inline-flex; align-items: center; justify-content: center; min-height: 44px; min-width: 44px; }
.tray-bar .wide { grid-column: 1 / -1; }
#tray-list { max-height: 40vh; overflow-y: auto; padding: 0 1.5rem 0.75rem; }
#tray-list > p { padding-top: 0.6rem; }
@media (max-width: 46rem) { .tray-bar, #tray-list { padding-inline: 0.75rem; } }
@media print { .tray { display: none; } }
`);
