import { type PageRequest, toPage } from '@recordproof/shared/api/common.ts';
import type { QueryOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/files.ts';
import { downloadMetadata } from '@recordproof/shared/api/manifests.ts';
import * as quotaApi from '@recordproof/shared/api/user-quotas.ts';
import type { RowPage } from '../../platform/db/page.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { fileByHash } from './beside-session.ts';
import { deleteFile } from './delete-file.ts';
import { type Delivering, downloadContent } from './download.ts';
import { downloadMany } from './download-many.ts';
import { toDownloadMetadata } from './download-metadata.ts';
import { type FileRow, findFileByHash } from './queries.ts';
import { toAllowance, toUserLimits } from './quota.ts';
import { toDay } from './record-file.ts';
import { searchFiles } from './search-queries.ts';
import { getUserQuota, setUserQuota } from './set-user-quota.ts';
import { findUsage, wholeTenant } from './usage-queries.ts';
import { isLive, toFileViews } from './views.ts';

export type Owner = { readonly tenantId: Key; readonly ownerId: Key };

const ownerOf = (actor: Actor): Owner => ({ tenantId: actor.tenantId, ownerId: actor.userId });

/** Only live files of one's own: all others are not there. */
async function getOwnFile(
  db: Db,
  { actor, caller }: Pick<Request, 'actor' | 'caller'>,
  hash: string,
): Promise<FileRow> {
  const read = fileByHash.rowOf(caller);
  const file = read === undefined ? await findFileByHash(db, actor.tenantId, hash) : read;
  if (file?.owner_id !== actor.userId || !isLive(file)) throw new ApiError('FILE_NOT_EXIST');
  return file;
}

/** The file comes with the session. */
const withFile = (one: Route): Route => ({ ...one, beside: fileByHash });

const toTime = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso));

/** Ids of files that others can access, without duplicates. */
async function listShared({ database, clock, hooks }: Pick<Server, 'database' | 'clock' | 'hooks'>, owner: Owner) {
  const shared = new Set<Key>();
  for (const list of hooks.of('listSharedFileIds'))
    for (const id of await list(database.db, owner, clock.now())) shared.add(id);
  return shared;
}

type Dependencies = Delivering & Pick<Server, 'config' | 'hooks'>;

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
    route(api.fileQuota, async ({ actor }) => {
      const { quota } = server.config;
      const used = await findUsage(db, actor.tenantId, actor.userId);
      const { maxBytes, maxFiles } = toUserLimits(quota, used);
      return {
        mode: quota.mode,
        user: toAllowance(used, maxBytes, maxFiles),
        tenant: toAllowance(await findUsage(db, actor.tenantId, wholeTenant), quota.tenantBytes, quota.tenantFiles),
      };
    }),
    route(quotaApi.getUserQuota, r => getUserQuota(db, server.config.quota, r.actor.tenantId, toKey(r.params.id))),
    route(quotaApi.setUserQuota, r => {
      const { reason, ...limits } = r.body;
      return setUserQuota(server, r, { accountId: toKey(r.params.id), limits, reason });
    }),
    withFile(
      route(api.getFile, async r => {
        const [view] = await toFileViews(db, r.actor, [await getOwnFile(db, r, r.params.hash)]);
        if (view === undefined) throw new ApiError('FILE_NOT_EXIST');
        return view;
      }),
    ),
    withFile(
      plainRoute(api.downloadFile, async r => {
        const file = await getOwnFile(db, r, r.params.hash);
        const recipient = { type: 'OWNER', id: String(r.actor.userId) } as const;
        return downloadContent(server, r, { http: r, file, recipient });
      }),
    ),
    plainRoute(api.downloadMany, r => downloadMany(server, r, r.body)),
    route(downloadMetadata, async r => toDownloadMetadata(server, await getOwnFile(db, r, r.params.fileHash))),
    route(api.deleteFile, async r => {
      await deleteFile(server, r, { scope: ownerOf(r.actor), fileHash: r.params.hash });
      return null;
    }),
  ];
};
