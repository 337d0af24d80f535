// Dialogs of files and folders, each loaded when it is first opened.
import { createElement, type FunctionComponent, lazy, Suspense } from 'react';

function lazyDialog<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  // React gives lazy components a type of their own; the props are the same.
  const Dialog = lazy(async () => ({ default: await load() })) as unknown as FunctionComponent<P>;
  return props => <Suspense fallback={null}>{createElement(Dialog, props)}</Suspense>;
}

export const LazyMoveDialog = lazyDialog(async () => (await import('./move-dialog.tsx')).MoveDialog);
export const LazyNameDialog = lazyDialog(async () => (await import('./name-dialog.tsx')).NameDialog);
export const LazyDeleteDialog = lazyDialog(async () => (await import('./delete-dialog.tsx')).DeleteDialog);
export const LazyGridDialog = lazyDialog(async () => (await import('./grid-dialog.tsx')).GridDialog);
export const LazyFilterRow = lazyDialog(async () => (await import('./filter-row.tsx')).FilterRow);
export const LazyCreateDropDialog = lazyDialog(
  async () => (await import('../drop-links/create-drop-dialog.tsx')).CreateDropDialog,
);
export const LazyProofsDialog = lazyDialog(
  async () => (await import('../proofs/save-proofs-dialog.tsx')).SaveProofsDialog,
);
