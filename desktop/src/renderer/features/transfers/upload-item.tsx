import type { Upload } from '../../../bridge/bridge.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { fromInput } from './chosen-files.ts';
import { FileButton } from './file-button.tsx';
import { TransferBar, TransferWords } from './transfer-progress.tsx';

export function UploadItem({ upload }: { readonly upload: Upload }) {
  const { fileName, folder, size, state, progress } = upload;
  return (
    <>
      <div className="name">
        <strong className="cut">{fileName}</strong>
        {folder !== null && <span className="cut">{folder}</span>}
      </div>
      <UploadActions upload={upload} />
      <TransferBar name={fileName} state={state} progress={progress} />
      <p className="about wide">
        <TransferWords state={state} progress={progress} size={size} />
      </p>
    </>
  );
}

function UploadActions({ upload: { id, state, fileName } }: { readonly upload: Upload }) {
  const say = useSay();
  const { uploads } = useBridge();
  const supply = useAction(async (files: File[]) => {
    const [chosen] = fromInput(files, '');
    if (chosen) await uploads.supply(id, chosen);
  });
  const act = (label: string, work: () => Promise<void>, look = 'plain') => (
    <button type="button" className={look} aria-label={`${label}: ${fileName}`} onClick={work}>
      {label}
    </button>
  );
  return (
    <div className="actions">
      <Problem error={supply.error} />
      {(state.kind === 'running' || state.kind === 'waiting') && act(say.transfer.pause, () => uploads.pause(id))}
      {state.kind === 'paused' && act(say.transfer.resume, () => uploads.resume(id))}
      {state.kind === 'failed' && act(say.transfer.retry, () => uploads.resume(id))}
      {state.kind === 'needs-file' && (
        <FileButton onFiles={supply.run} label={`${say.transfer.chooseAgain}: ${fileName}`}>
          {say.transfer.chooseAgain}
        </FileButton>
      )}
      {state.kind !== 'done' && act(say.cancel, () => uploads.cancel(id), 'bare')}
    </div>
  );
}
