// Routes of files.
import { type PageRequest, toPage } from '@recordproof/shared/api/common.ts';
import type { QueryOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/files.ts';
import type { RowPage } from '../../platform/db/page.ts';
import type { Key } from '../../platform/db/tables.ts';
import { type Actor, type Owner, ownerOf } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { findUsage } from '../quotas/index.ts';
import { getOwnFile, withFile } from './own-files.ts';
import type { FileRow } from './queries.ts';
import { toDay } from './record-file.ts';
import { searchFiles } from './search-queries.ts';
import { toFileViews } from './views.ts';

const toTime = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso));

/** Ids of files that others can access, without duplicates. */
async function listShared({ database, clock, hooks }: Pick<Server, 'database' | 'clock' | 'hooks'>, owner: Owner) {
  const shared = new Set<Key>();
  for (const list of hooks.of('listSharedFileIds'))
    for (const id of await list(database.db, owner, clock.now())) shared.add(id);
  return shared;
}

type Dependencies = Pick<Server, 'database' | 'clock' | 'hooks'>;

export const fileRoutes = (server: Dependencies): Route[] => {
  const { db, kind } = server.database;
  const toAnswer = async (actor: Actor, found: RowPage<FileRow>, page: PageRequest) =>
    toPage(await toFileViews(db, actor, found.rows), found.total, page);
  const search = async (actor: Actor, query: QueryOf<typeof api.searchFiles>) => {
    const { startTime, endTime, shared: isShared, page, size, sort, ...filters } = query;
    const owner = ownerOf(actor);
    const shared = isShared === undefined ? undefined : { ids: [...(await listShared(server, owner))], isShared };
    const request = { ...filters, shared, createdFrom: toTime(startTime), createdTo: toTime(endTime) };
    return toAnswer(actor, await searchFiles(db, kind, owner, request, { page, size, sort }), query);
  };
  return [
    route(api.listFiles, r => search(r.actor, r.query)),
    route(api.searchFiles, r => search(r.actor, r.query)),
    route(api.fileStats, async ({ actor }) => {
      const used = await findUsage(db, actor.tenantId, actor.userId);
      return {
        totalFiles: used?.latest_files ?? 0,
        totalStorage: used?.bytes ?? 0,
        sharedFiles: (await listShared(server, ownerOf(actor))).size,
        todayUploads: used?.upload_day === toDay(server.clock.now()) ? used.day_uploads : 0,
      };
    }),
    withFile(
      route(api.getFile, async r => {
        const [view] = await toFileViews(db, r.actor, [await getOwnFile(db, r, r.params.hash)]);
        if (view === undefined) throw new ApiError('FILE_NOT_EXIST');
        return view;
      }),
    ),
  ];
};
