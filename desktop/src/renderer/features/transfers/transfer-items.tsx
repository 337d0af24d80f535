// Entries of the list of transfers: an upload or a download, its progress, its actions.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import { useEffect, useState } from 'react';
import type { ChosenFile, Download, TransferState, Upload } from '../../../bridge/bridge.ts';
import { isFile } from '../../../bridge/download-request.ts';
import { useBridge, useFeed, useTexts } from '../../context.ts';
import { toFailureText } from '../../error-text.ts';
import { formatDuration, formatSize } from '../../format.ts';
import { toHref } from '../../router.ts';
import { Button, type ButtonVariant } from '../../ui/button.tsx';
import { FileName } from '../../ui/file-name.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { Problem } from '../../ui/states.tsx';
import { FileButton } from './file-button.tsx';

type Shown = { readonly name: string; readonly state: TransferState; readonly progress: Progress | null };

/** Kept while a transfer is paused, hidden when it is done. */
function TransferBar({ name, state, progress }: Shown) {
  const texts = useTexts().transfer;
  if (state.kind === 'done' || !progress) return null;
  return (
    <progress
      className="wide"
      aria-label={texts.progressOf(name)}
      max={Math.max(1, progress.totalBytes)}
      value={progress.bytesMoved}
    />
  );
}

export function TransferWords({ state, progress, size }: Omit<Shown, 'name'> & { readonly size: number | null }) {
  const texts = useTexts();
  const { transfer } = texts;
  switch (state.kind) {
    case 'waiting':
      return <span>{transfer.waiting}</span>;
    case 'paused':
      return (
        <>
          <span>{transfer.paused}</span>
          {progress && <Moved progress={progress} />}
        </>
      );
    case 'needs-file':
      return <span>{state.mayAsk ? transfer.needsLeave : transfer.needsFile}</span>;
    case 'failed':
      return <span className="problem">{toFailureText(state.reason, texts)}</span>;
    case 'done':
      if (state.isHandedOver) return <span>{transfer.handedOver}</span>;
      return (
        <>
          <span className="chip good">
            <Icon name="check" /> {transfer.done}
          </span>
          {size !== null && <span className="number">{formatSize(size)}</span>}
        </>
      );
    case 'running':
      return <RunningWords progress={progress} />;
  }
}

function RunningWords({ progress }: { readonly progress: Progress | null }) {
  const { transfer } = useTexts();
  const isStalled = useStalled(progress);
  if (!progress) return <span>{transfer.waiting}</span>;
  const { phase, bytesPerSecond, etaSeconds } = progress;
  const transfers = phase === 'sending' || phase === 'receiving';
  const isMoving = transfers && !isStalled;
  return (
    <>
      <span>{transfers && isStalled ? transfer.stalled : transfer.phases[phase]}</span>
      <Moved progress={progress} />
      {isMoving && bytesPerSecond > 0 && <span className="number">{transfer.rate(formatSize(bytesPerSecond))}</span>}
      {isMoving && etaSeconds !== undefined && (
        <span className="number">{transfer.left(formatDuration(etaSeconds))}</span>
      )}
    </>
  );
}

const Moved = ({ progress: { bytesMoved, totalBytes } }: { readonly progress: Progress }) => (
  <span className="number">
    {formatSize(bytesMoved)} / {formatSize(totalBytes)}
  </span>
);

const stallMs = 5000;

/** Without a network, or when nothing has moved for a while: then no rate and no time left are known. */
function useStalled(progress: Progress | null): boolean {
  const feed = useFeed();
  const [stalledAt, setStalledAt] = useState<number | null>(null);
  const moved = progress?.bytesMoved ?? 0;
  useEffect(() => {
    const timer = setTimeout(() => setStalledAt(moved), stallMs);
    return () => clearTimeout(timer);
  }, [moved]);
  return feed === 'waiting' || stalledAt === moved;
}

export function DownloadItem({ download }: { readonly download: Download }) {
  const texts = useTexts().transfer;
  const { wanted, state, progress, verified } = download;
  return (
    <>
      <div className="name">
        <FileName name={wanted.fileName} strong />
        {verified && (
          <span className="chip good" title={texts.verifiedHint}>
            <Icon name="seal" /> {texts.verified}
          </span>
        )}
      </div>
      <DownloadActions download={download} />
      <TransferBar name={wanted.fileName} state={state} progress={progress} />
      <p className="about wide">
        {download.elsewhere && <span>{texts.elsewhere}</span>}
        <TransferWords state={state} progress={progress} size={isFile(wanted) ? wanted.size : null} />
      </p>
    </>
  );
}

function DownloadActions({ download: { id, state, wanted, elsewhere } }: { readonly download: Download }) {
  const texts = useTexts();
  const { downloads, shell } = useBridge();
  const act = (label: string, work: () => Promise<void>, variant: ButtonVariant = 'plain') => (
    <Button label={label} of={wanted.fileName} variant={variant} onClick={work} />
  );
  if (elsewhere) return null;
  return (
    <div className="actions">
      {state.kind === 'running' && isFile(wanted) && act(texts.transfer.pause, () => downloads.pause(id))}
      {state.kind === 'paused' && act(texts.transfer.resume, () => downloads.resume(id))}
      {state.kind === 'failed' && act(texts.transfer.retry, () => downloads.resume(id))}
      {state.kind !== 'done' && act(texts.cancel, () => downloads.cancel(id), 'bare')}
      {state.kind === 'done' && shell && act(texts.transfer.showInFolder, () => shell.showDownload(id))}
    </div>
  );
}

export function UploadItem({ upload }: { readonly upload: Upload }) {
  const { folder, size, state, progress } = upload;
  const name = useName(upload);
  const texts = useTexts();
  return (
    <>
      <div className="name">
        <FileName name={name} strong />
        {folder !== null && <span className="cut">{toShownName(folder)}</span>}
      </div>
      <UploadActions upload={upload} />
      <TransferBar name={name} state={state} progress={progress} />
      <p className="about wide">
        {upload.elsewhere && <span>{texts.transfer.elsewhere}</span>}
        <TransferWords state={state} progress={progress} size={size} />
      </p>
    </>
  );
}

/** Small files that share a request are one entry. */
function useName({ files, fileName }: Upload): string {
  const texts = useTexts();
  return files === 1 ? toShownName(fileName) : texts.list.files(files);
}

function UploadActions({ upload }: { readonly upload: Upload }) {
  const { id, state, files, folder, elsewhere } = upload;
  const texts = useTexts();
  const name = useName(upload);
  const { uploads } = useBridge();
  const supply = useAction((chosen: readonly ChosenFile[]) => uploads.supply(id, chosen));
  const isMany = files > 1;
  const showResult = files === 1 ? texts.tray.showFile : texts.tray.showFolder;
  const chooseAgain = texts.transfer.chooseAgain(files);
  const act = (label: string, work: () => Promise<void>, variant: ButtonVariant = 'plain') => (
    <Button label={label} of={name} variant={variant} onClick={work} />
  );
  if (elsewhere)
    return (
      <div className="actions">{state.kind !== 'done' && act(texts.cancel, () => uploads.cancel(id), 'bare')}</div>
    );
  return (
    <div className="actions">
      <Problem error={supply.error} />
      {(state.kind === 'running' || state.kind === 'waiting') && act(texts.transfer.pause, () => uploads.pause(id))}
      {state.kind === 'paused' && act(texts.transfer.resume, () => uploads.resume(id))}
      {state.kind === 'failed' && act(texts.transfer.retry, () => uploads.resume(id))}
      {state.kind === 'needs-file' && state.mayAsk && act(texts.transfer.allow, () => uploads.resume(id), '')}
      {state.kind === 'needs-file' && (
        <FileButton
          onChosen={supply.run}
          label={chooseAgain}
          of={name}
          many={isMany}
          folder={isMany && folder !== null}
          {...(state.mayAsk && { variant: 'plain' })}
        />
      )}
      {state.kind === 'done' ? (
        <a
          href={toHref('files', { folder: folder ?? '', file: state.fileHash ?? '' })}
          aria-label={`${showResult}: ${name}`}
        >
          {showResult}
        </a>
      ) : (
        act(texts.cancel, () => uploads.cancel(id), 'bare')
      )}
    </div>
  );
}
