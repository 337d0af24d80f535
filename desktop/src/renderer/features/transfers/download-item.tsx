import { toShownName } from '@recordproof/shared/shown-name.ts';
import type { Download } from '../../../bridge/bridge.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { Icon } from '../../ui/icon.tsx';
import { TransferBar, TransferWords } from './transfer-progress.tsx';

export function DownloadItem({ download }: { readonly download: Download }) {
  const say = useSay().transfer;
  const { wanted, state, progress, verified } = download;
  return (
    <>
      <div className="name">
        <strong className="cut">{toShownName(wanted.fileName)}</strong>
        {verified && (
          <span className="chip good" title={say.verifiedHint}>
            <Icon name="seal" /> {say.verified}
          </span>
        )}
      </div>
      <DownloadActions download={download} />
      <TransferBar name={wanted.fileName} state={state} progress={progress} />
      <p className="about wide">
        <TransferWords state={state} progress={progress} size={wanted.kind === 'proof' ? null : wanted.size} />
      </p>
    </>
  );
}

function DownloadActions({ download: { id, state, wanted } }: { readonly download: Download }) {
  const say = useSay();
  const { downloads } = useBridge();
  const act = (label: string, work: () => Promise<void>, look = 'plain') => (
    <button type="button" className={look} aria-label={`${label}: ${wanted.fileName}`} onClick={work}>
      {label}
    </button>
  );
  return (
    <div className="actions">
      {state.kind === 'running' && wanted.kind !== 'proof' && act(say.transfer.pause, () => downloads.pause(id))}
      {state.kind === 'paused' && act(say.transfer.resume, () => downloads.resume(id))}
      {state.kind === 'failed' && act(say.transfer.retry, () => downloads.resume(id))}
      {state.kind !== 'done' && act(say.cancel, () => downloads.cancel(id), 'bare')}
    </div>
  );
}
