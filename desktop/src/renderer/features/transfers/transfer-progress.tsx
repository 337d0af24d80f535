import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import type { TransferState } from '../../../bridge/bridge.ts';
import { formatDuration, formatSize } from '../../format.ts';
import { useSay } from '../../surroundings.ts';
import { tellFailure } from '../../tell-error.ts';
import { Icon } from '../../ui/icon.tsx';

type Shown = { readonly name: string; readonly state: TransferState; readonly progress: Progress | null };

/** The bar stays where it was when a transfer is paused, and goes when it is done. */
export function TransferBar({ name, state, progress }: Shown) {
  const say = useSay().transfer;
  if (state.kind === 'done' || !progress) return null;
  return (
    <progress
      className="wide"
      aria-label={say.progressOf(name)}
      max={Math.max(1, progress.totalBytes)}
      value={progress.bytesMoved}
    />
  );
}

export function TransferWords({ state, progress, size }: Omit<Shown, 'name'> & { readonly size: number | null }) {
  const say = useSay();
  const { transfer } = say;
  switch (state.kind) {
    case 'waiting':
      return <span>{transfer.waiting}</span>;
    case 'paused':
      return <span>{transfer.paused}</span>;
    case 'needs-file':
      return <span>{state.mayAsk ? transfer.needsLeave : transfer.needsFile}</span>;
    case 'failed':
      return <span className="problem">{tellFailure(state.reason, say)}</span>;
    case 'done':
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
  const { transfer } = useSay();
  if (!progress) return <span>{transfer.waiting}</span>;
  const { phase, bytesMoved, totalBytes, bytesPerSecond, etaSeconds } = progress;
  const isMoving = phase === 'sending' || phase === 'receiving';
  return (
    <>
      <span>{transfer.phases[phase]}</span>
      <span className="number">
        {formatSize(bytesMoved)} / {formatSize(totalBytes)}
      </span>
      {isMoving && bytesPerSecond > 0 && <span className="number">{transfer.rate(formatSize(bytesPerSecond))}</span>}
      {isMoving && etaSeconds !== undefined && (
        <span className="number">{transfer.left(formatDuration(etaSeconds))}</span>
      )}
    </>
  );
}
