import { type PageRequest, toPage } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/files.ts';
import * as quotaApi from '@recordproof/shared/api/user-quotas.ts';
import type { Found } from '../../platform/db/page.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { deleteFile } from './delete-file.ts';
import { type Delivering, downloadContent } from './download.ts';
import { downloadMany } from './download-many.ts';
import { toDownloadMetadata } from './download-metadata.ts';
import { listFiles, listFolders } from './list-queries.ts';
import { type FileRow, findFileByHash } from './queries.ts';
import { toUserLimits } from './quota.ts';
import { toDay } from './record-file.ts';
import { searchFiles } from './search-queries.ts';
import { getUserQuota, setUserQuota } from './set-user-quota.ts';
import { findUsage, type UsageRow, wholeTenant } from './usage-queries.ts';
import { isLive, toFileViews } from './views.ts';

export type Owner = { readonly tenantId: Key; readonly ownerId: Key };

const ownerOf = (actor: Actor): Owner => ({ tenantId: actor.tenantId, ownerId: actor.userId });

/** Only live files of one's own: all others are not there. */
async function getOwnFile(db: Db, actor: Actor, hash: string): Promise<FileRow> {
  const file = await findFileByHash(db, actor.tenantId, hash);
  if (file?.owner_id !== actor.userId || !isLive(file)) throw new ApiError('FILE_NOT_EXIST');
  return file;
}

const toTime = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso));

const toAllowance = (used: UsageRow | null, maxBytes: number, maxFiles: number) => ({
  usedBytes: used?.bytes ?? 0,
  maxBytes,
  usedFiles: used?.files ?? 0,
  maxFiles,
});

/** A file that is reached in several ways counts once. */
async function countSharedFiles(
  { database, clock, hooks }: Pick<Server, 'database' | 'clock' | 'hooks'>,
  owner: Owner,
) {
  const shared = new Set<Key>();
  for (const list of hooks.of('listSharedFileIds'))
    for (const id of await list(database.db, owner, clock.now())) shared.add(id);
  return shared.size;
}

type Needed = Delivering & Pick<Server, 'config' | 'hooks'>;

export const fileRoutes = (server: Needed): Route[] => {
  const { db, kind } = server.database;
  const toAnswer = async (actor: Actor, found: Found<FileRow>, page: PageRequest) =>
    toPage(await toFileViews(db, actor.tenantId, found.rows), found.total, page);
  return [
    route(api.listFiles, async r => toAnswer(r.actor, await listFiles(db, ownerOf(r.actor), r.query), r.query)),
    route(api.searchFiles, async r => {
      const { startTime, endTime, ...search } = r.query;
      const request = { ...search, createdFrom: toTime(startTime), createdTo: toTime(endTime) };
      return toAnswer(r.actor, await searchFiles(db, kind, ownerOf(r.actor), request, r.query), r.query);
    }),
    route(api.listFolders, ({ actor }) => listFolders(db, ownerOf(actor), api.mostFolders)),
    route(api.fileStats, async ({ actor }) => {
      const used = await findUsage(db, actor.tenantId, actor.userId);
      return {
        totalFiles: used?.latest_files ?? 0,
        totalStorage: used?.bytes ?? 0,
        sharedFiles: await countSharedFiles(server, ownerOf(actor)),
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
    route(api.getFile, async r => {
      const [view] = await toFileViews(db, r.actor.tenantId, [await getOwnFile(db, r.actor, r.params.hash)]);
      if (view === undefined) throw new ApiError('FILE_NOT_EXIST');
      return view;
    }),
    plainRoute(api.downloadFile, async r => {
      const file = await getOwnFile(db, r.actor, r.params.hash);
      const recipient = { type: 'OWNER', id: String(r.actor.userId) } as const;
      return downloadContent(server, r, { http: r, file, recipient });
    }),
    plainRoute(api.downloadMany, r => downloadMany(server, r, r.body)),
    route(api.downloadMetadata, async r =>
      toDownloadMetadata(server, await getOwnFile(db, r.actor, r.params.fileHash)),
    ),
    route(api.deleteFile, async r => {
      await deleteFile(server, r, { scope: ownerOf(r.actor), fileHash: r.params.hash });
      return null;
    }),
  ];
};
