// Dialogs of files and folders, each loaded when it is first opened.
import { lazyPart } from '../../ui/lazy.tsx';

export const LazyMoveDialog = lazyPart(async () => (await import('./move-dialog.tsx')).MoveDialog);
export const LazyNameDialog = lazyPart(async () => (await import('./name-dialog.tsx')).NameDialog);
export const LazyDeleteDialog = lazyPart(async () => (await import('./delete-dialog.tsx')).DeleteDialog);
export const LazyGridDialog = lazyPart(async () => (await import('./grid-dialog.tsx')).GridDialog);
export const LazyFilterRow = lazyPart(async () => (await import('./filter-row.tsx')).FilterRow);
export const LazyCreateDropDialog = lazyPart(
  async () => (await import('../drop-links/create-drop-dialog.tsx')).CreateDropDialog,
);
export const LazyProofsDialog = lazyPart(
  async () => (await import('../proofs/save-proofs-dialog.tsx')).SaveProofsDialog,
);
export const LazyShareDialog = lazyPart(async () => (await import('../shares/share-dialog.tsx')).ShareDialog);
