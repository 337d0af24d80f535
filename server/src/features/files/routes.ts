import { parseSort, toPage } from '@recordproof/shared/api/common.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/files.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import { originOf } from '../audit/index.ts';
import { deleteOwnFile } from './delete-file.ts';
import { type ContentPorts, downloadContent } from './download.ts';
import { listFiles, type PageRequest, type SortColumn, searchFiles } from './list-queries.ts';
import { type FileRow, findFileByHash, findUsage, type UsageRow, wholeTenant } from './queries.ts';
import type { Quota } from './quota.ts';
import { toDay } from './record-file.ts';
import { isLive, toFileViews } from './views.ts';

export type FilePorts = ContentPorts & {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly quota: Quota;
  readonly retentionDays: number;
  /** How many of the owner's live files somebody else can reach; from the features that share. */
  readonly countSharedFiles: (db: Db, owner: { readonly tenantId: Key; readonly ownerId: Key }) => Promise<number>;
};

const columns: Readonly<Record<(typeof api.fileSortFields)[number], SortColumn>> = {
  createdAt: 'created_at',
  fileName: 'name_folded',
  fileSize: 'file_size',
};

function toPageRequest(query: { page: number; size: number; sort: string }): PageRequest {
  const { field, direction } = parseSort(query.sort);
  return { ...query, sort: { column: columns[field as keyof typeof columns] ?? 'created_at', direction } };
}

const ownerOf = (actor: Actor) => ({ tenantId: actor.tenantId, ownerId: actor.userId });

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

export const fileRoutes = (ports: FilePorts): Route[] => {
  const { db, kind } = ports.database;
  const toAnswer = async (actor: Actor, found: { rows: FileRow[]; total: number }, page: PageRequest) =>
    toPage(await toFileViews(db, actor.tenantId, found.rows), found.total, page);
  return [
    route(api.listFiles, async r => {
      const page = toPageRequest(r.query);
      return toAnswer(r.actor, await listFiles(db, ownerOf(r.actor), page), page);
    }),
    route(api.searchFiles, async r => {
      const page = toPageRequest(r.query);
      const { startTime, endTime, ...search } = r.query;
      const request = { ...search, createdFrom: toTime(startTime), createdTo: toTime(endTime) };
      return toAnswer(r.actor, await searchFiles(db, kind, ownerOf(r.actor), request, page), page);
    }),
    route(api.fileStats, async ({ actor }) => {
      const used = await findUsage(db, actor.tenantId, actor.userId);
      return {
        totalFiles: used?.latest_files ?? 0,
        totalStorage: used?.bytes ?? 0,
        sharedFiles: await ports.countSharedFiles(db, ownerOf(actor)),
        todayUploads: used?.upload_day === toDay(ports.clock.now()) ? used.day_uploads : 0,
      };
    }),
    route(api.fileQuota, async ({ actor }) => {
      const { mode, userBytes, userFiles, tenantBytes, tenantFiles } = ports.quota;
      return {
        mode,
        user: toAllowance(await findUsage(db, actor.tenantId, actor.userId), userBytes, userFiles),
        tenant: toAllowance(await findUsage(db, actor.tenantId, wholeTenant), tenantBytes, tenantFiles),
      };
    }),
    route(api.getFile, async r => {
      const [view] = await toFileViews(db, r.actor.tenantId, [await getOwnFile(db, r.actor, r.params.hash)]);
      if (view === undefined) throw new ApiError('FILE_NOT_EXIST');
      return view;
    }),
    plainRoute(api.downloadFile, async r => {
      const file = await getOwnFile(db, r.actor, r.params.hash);
      const recipient = { type: 'OWNER', id: String(r.actor.userId) } as const;
      return downloadContent(ports, r, file, recipient, { who: r.actor, origin: originOf(r) });
    }),
    route(api.deleteFile, async r => {
      await deleteOwnFile(ports, r.actor, r.params.hash, originOf(r));
      return null;
    }),
  ];
};
