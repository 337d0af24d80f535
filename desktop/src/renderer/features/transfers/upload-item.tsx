import { toShownName } from '@recordproof/shared/shown-name.ts';
import type { ChosenFile, Upload } from '../../../bridge/bridge.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { FileButton } from './file-button.tsx';
import { TransferBar, TransferWords } from './transfer-progress.tsx';

export function UploadItem({ upload }: { readonly upload: Upload }) {
  const { folder, size, state, progress } = upload;
  const name = useName(upload);
  return (
    <>
      <div className="name">
        <strong className="cut">{name}</strong>
        {folder !== null && <span className="cut">{toShownName(folder)}</span>}
      </div>
      <UploadActions upload={upload} />
      <TransferBar name={name} state={state} progress={progress} />
      <p className="about wide">
        <TransferWords state={state} progress={progress} size={size} />
      </p>
    </>
  );
}

/** Small files that go together are one entry. */
function useName({ files, fileName }: Upload): string {
  const say = useSay();
  return files === 1 ? toShownName(fileName) : say.list.files(files);
}

function UploadActions({ upload }: { readonly upload: Upload }) {
  const { id, state, files, folder } = upload;
  const say = useSay();
  const name = useName(upload);
  const { uploads } = useBridge();
  const supply = useAction((chosen: readonly ChosenFile[]) => uploads.supply(id, chosen));
  const isMany = files > 1;
  const chooseAgain = say.transfer.chooseAgain(files);
  const act = (label: string, work: () => Promise<void>, look = 'plain') => (
    <button type="button" className={look} aria-label={`${label}: ${name}`} onClick={work}>
      {label}
    </button>
  );
  return (
    <div className="actions">
      <Problem error={supply.error} />
      {(state.kind === 'running' || state.kind === 'waiting') && act(say.transfer.pause, () => uploads.pause(id))}
      {state.kind === 'paused' && act(say.transfer.resume, () => uploads.resume(id))}
      {state.kind === 'failed' && act(say.transfer.retry, () => uploads.resume(id))}
      {state.kind === 'needs-file' && state.mayAsk && act(say.transfer.allow, () => uploads.resume(id), '')}
      {state.kind === 'needs-file' && (
        <FileButton
          onChosen={supply.run}
          label={`${chooseAgain}: ${name}`}
          many={isMany}
          folder={isMany && folder !== null}
          {...(state.mayAsk && { look: 'plain' })}
        >
          {chooseAgain}
        </FileButton>
      )}
      {state.kind !== 'done' && act(say.cancel, () => uploads.cancel(id), 'bare')}
    </div>
  );
}
