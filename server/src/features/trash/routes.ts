// Routes of the trash.
import { toPage } from '@recordproof/shared/api/common.ts';
import * as filesApi from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/trash.ts';
import { toIso } from '../../platform/clock.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { toFileViews } from '../files/index.ts';
import { emptyTrash, moveToTrash, restoreFromTrash } from './change-trash.ts';
import { deleteFile } from './delete-file.ts';
import { listTrash } from './queries.ts';

const dayMs = 24 * 3600_000;

export const trashRoutes = (server: Server): Route[] => {
  const { db } = server.database;
  const keptMs = server.config.files.retentionDays * dayMs;
  return [
    route(filesApi.deleteFile, async r => {
      await deleteFile(server, r, { scope: ownerOf(r.actor), fileHash: r.params.hash });
      return null;
    }),
    route(api.listTrash, async ({ actor, query }) => {
      const { rows, total } = await listTrash(db, ownerOf(actor), query);
      const views = await toFileViews(db, actor, rows);
      const records = views.map((view, at) => {
        const deletedAt = rows[at]?.deleted_at ?? 0;
        return { ...view, deletedAt: toIso(deletedAt), expiresAt: toIso(deletedAt + keptMs) };
      });
      return toPage(records, total, query);
    }),
    route(api.moveToTrash, r => moveToTrash(server, r, r.body.fileHash)),
    route(api.restoreFromTrash, async r => {
      const restored = await restoreFromTrash(server, r, r.body.fileHash);
      return toFileViews(db, r.actor, restored);
    }),
    route(api.emptyTrash, r => emptyTrash(server, r, r.body.fileHash)),
  ];
};
