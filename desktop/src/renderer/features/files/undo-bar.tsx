// Bar that restores what was deleted last.

import { toShownName } from '@recordproof/shared/shown-name.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useWords } from '../../context.ts';
import { Problem } from '../../ui/states.tsx';
import type { Trashing } from './use-trash.ts';

export function UndoBar({ trashing: { deleted, error, isBusy, undo } }: { readonly trashing: Trashing }) {
  const texts = useWords(folderWords);
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
