// Dialogs of files and folders, each loaded when it is first opened.
import { createElement, type FunctionComponent, lazy, Suspense } from 'react';

function later<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  // React gives lazy components a type of their own; the props are the same.
  const Dialog = lazy(async () => ({ default: await load() })) as unknown as FunctionComponent<P>;
  return props => <Suspense fallback={null}>{createElement(Dialog, props)}</Suspense>;
}

export const LaterMoveDialog = later(async () => (await import('./move-dialog.tsx')).MoveDialog);
export const LaterNameDialog = later(async () => (await import('./name-dialog.tsx')).NameDialog);
export const LaterDeleteDialog = later(async () => (await import('./delete-dialog.tsx')).DeleteDialog);
export const LaterGridDialog = later(async () => (await import('./grid-dialog.tsx')).GridDialog);
export const LaterFilterRow = later(async () => (await import('./filter-row.tsx')).FilterRow);
export const LaterCreateDropDialog = later(
  async () => (await import('../drop-links/create-drop-dialog.tsx')).CreateDropDialog,
);
export const LaterProofsDialog = later(async () => (await import('../proofs/save-proofs-dialog.tsx')).SaveProofsDialog);
