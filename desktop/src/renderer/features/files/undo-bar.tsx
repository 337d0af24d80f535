// Bar that restores what was deleted last.
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { Problem } from '../../ui/states.tsx';
import { useFolderTexts } from './use-folder-texts.ts';
import type { Trashing } from './use-trash.ts';

export function UndoBar({ trashing: { deleted, error, isBusy, undo } }: { readonly trashing: Trashing }) {
  const texts = useFolderTexts();
  return (
    <div role="status">
      {deleted !== null && (
        <div className="undo">
          <span>
            {deleted.kind === 'files' ? texts.deleted(deleted.count) : texts.folderDeleted(toShownName(deleted.name))}
          </span>
          <button type="button" className="plain" disabled={isBusy} onClick={undo}>
            {texts.undo}
          </button>
          <Problem error={error} />
        </div>
      )}
    </div>
  );
}
