// Dialog that asks whether files that another app has shared are to be uploaded, and names them.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import type { ChosenFile, SharedFiles } from '../../../bridge/bridge.ts';
import { useTexts } from '../../context.ts';
import { changeQuery } from '../../router.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { useLoad } from '../../ui/hooks.ts';

type Shared = { readonly source: SharedFiles; readonly send: (chosen: readonly ChosenFile[]) => Promise<void> };

const mostNamed = 5;

export function SharedFilesDialog({ source, send }: Shared) {
  const { list, transfer } = useTexts();
  const { state } = useLoad('shared', () => source.read());
  const close = () => {
    void source.forget();
    changeQuery({ shared: '' });
  };
  if (state.kind !== 'ready' || state.value.length === 0) return null;
  const files = state.value;
  const upload = () => send(files.map(file => ({ file, folder: null, handle: null })));
  return (
    <AskDialog
      title={transfer.sharedAsk(files.length)}
      text={transfer.sharedText}
      yes={list.upload}
      act={upload}
      onClose={close}
    >
      <ul className="named">
        {files.slice(0, mostNamed).map(file => (
          <li key={`${file.name} ${file.size} ${file.lastModified}`} className="cut">
            {toShownName(file.name)}
          </li>
        ))}
        {files.length > mostNamed && <li className="quiet">{transfer.andMore(files.length - mostNamed)}</li>}
      </ul>
    </AskDialog>
  );
}
