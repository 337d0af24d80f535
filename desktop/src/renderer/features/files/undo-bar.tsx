// Bar that restores the files deleted last.
import { Problem } from '../../ui/states.tsx';
import { useFolderTexts } from './use-folder-texts.ts';
import type { Trashing } from './use-trash.ts';

export function UndoBar({ trashing: { deleted, error, isBusy, undo } }: { readonly trashing: Trashing }) {
  const texts = useFolderTexts();
  return (
    <div role="status">
      {deleted !== null && (
        <div className="undo">
          <span>{texts.deleted(deleted.length)}</span>
          <button type="button" className="plain" disabled={isBusy} onClick={undo}>
            {texts.undo}
          </button>
          <Problem error={error} />
        </div>
      )}
    </div>
  );
}
