// Folders of an owner's files: a tree over the label `path`, which is part of no record or proof.
import type { Tx } from '../../platform/db/tables.ts';
import { feature } from '../../platform/feature.ts';
import type { Owner } from '../../platform/http/caller.ts';
import { folderRoutes } from './routes.ts';

export { findFolderTime, listContents, noSuchFolder, rebaseLabels } from './queries.ts';

declare module '../../platform/hooks.ts' {
  interface Hooks {
    /** In the transaction of the move, before files and folders are locked. */
    folderMoved: (tx: Tx, owner: Owner, move: { readonly from: string; readonly to: string }) => Promise<void>;
  }
}

export const folders = feature({ name: 'folders', layer: 3, open: server => ({ routes: folderRoutes(server) }) });
