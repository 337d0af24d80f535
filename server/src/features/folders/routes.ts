// Routes of folders.
import * as api from '@recordproof/shared/api/folders.ts';
import { toIso } from '../../platform/clock.ts';
import { cutSlice, toSliceRequest } from '../../platform/db/slice.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { getOwnFile, toFileViews } from '../files/index.ts';
import { createFolder, deleteFolder } from './change-tree.ts';
import { downloadFiles, downloadFolder } from './download-zip.ts';
import { moveFiles } from './move-files.ts';
import { moveFolder } from './move-folder.ts';
import { listPathChanges } from './path-queries.ts';
import { hasFolder, listContentSlice, listFilled, listLevel, noSuchFolder } from './queries.ts';
import { sealFolder } from './seal-folder.ts';

const mostPathChanges = 100;

export const folderRoutes = (server: Server): Route[] => {
  const { db } = server.database;
  return [
    route(api.listFolders, async ({ actor, query: { path, ...page } }) => {
      const owner = ownerOf(actor);
      if (path === undefined) return listFilled(db, owner, api.mostFolders);
      if (path !== '' && !(await hasFolder(db, owner, path))) throw noSuchFolder();
      return listLevel(db, owner, { path, ...page });
    }),
    route(api.listFolderFiles, async ({ actor, query }) => {
      const rows = await listContentSlice(db, ownerOf(actor), query.path, toSliceRequest(query));
      const { shown, nextCursor } = cutSlice(rows, query.limit);
      return { records: await toFileViews(db, actor, shown), nextCursor };
    }),
    route(api.createFolder, r => createFolder(server, r, r.body.path)),
    route(api.deleteFolder, r => deleteFolder(server, r, r.query)),
    route(api.move, r => ('from' in r.body ? moveFolder(server, r, r.body) : moveFiles(server, r, r.body))),
    plainRoute(api.downloadFolder, r => downloadFolder(server, r, r.query)),
    plainRoute(api.downloadFiles, r => downloadFiles(server, r, r.body)),
    route(api.sealFolder, r => sealFolder(server, r, r.body.path)),
    route(api.listPathHistory, async r => {
      const file = await getOwnFile(db, r, r.params.hash);
      const changes = await listPathChanges(db, file, mostPathChanges);
      return changes.map(change => ({
        path: change.path,
        fileName: change.file_name,
        until: toIso(change.changed_at),
        changedBy: change.username,
      }));
    }),
  ];
};
