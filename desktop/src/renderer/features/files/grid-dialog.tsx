// Dialogs that keys open in the list of files: delete, move, rename.
import type { File } from '@recordproof/shared/api/files.ts';
import { useState } from 'react';
import { DeleteDialog } from './delete-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { RenameFileDialog } from './name-dialog.tsx';
import { type FileAction, type Moving, toMovedFiles } from './use-move.ts';

type Asking = {
  readonly action: FileAction;
  /** Those that are selected, or the current one. */
  readonly files: readonly File[];
  readonly current: File | undefined;
  readonly moving: Moving;
  readonly onClose: () => void;
};

export function GridDialog({ action, files: initialFiles, current, moving, onClose }: Asking) {
  const [files] = useState(initialFiles);
  const { trashing, onChanged } = moving;
  if (action === 'delete') return <DeleteDialog files={files} act={() => trashing.remove(files)} onClose={onClose} />;
  if (action === 'move') return <MoveDialog moved={toMovedFiles(files)} onMoved={onChanged} onClose={onClose} />;
  return current ? <RenameFileDialog file={current} onRenamed={onChanged} onClose={onClose} /> : null;
}
