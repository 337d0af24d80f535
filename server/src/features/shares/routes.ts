// Routes of shares.
import * as adminApi from '@recordproof/shared/api/admin-shares.ts';
import { type PageRequest, toPage } from '@recordproof/shared/api/common.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as accessApi from '@recordproof/shared/api/share-access.ts';
import * as logsApi from '@recordproof/shared/api/share-logs.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import { shareActions } from '@recordproof/shared/api/shares.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { getPerson, listPeople } from '../accounts/index.ts';
import { toFileViews } from '../files/index.ts';
import { countActors, listAccesses } from './access-log.ts';
import { createShare } from './create-share.ts';
import { downloadShared, getSharedMetadata, withGrant } from './download-shared.ts';
import { cancelShare } from './end-share.ts';
import { listShares } from './list-queries.ts';
import { findShareWithin, listFilesOfShares, type ShareRow, type ShareScope } from './queries.ts';
import { listRecipients } from './recipients.ts';
import { saveShared } from './save-shared.ts';
import { isLiving, listBegins, listFilesOf, listShown } from './shared-folder.ts';
import { changeShare } from './update-share.ts';
import { toAccessView, toInfo, toOpened, toShareView } from './views.ts';
import { enterShare, getShareInfo, openShare, useShare, type Visitor } from './visit-share.ts';

const visitorOf = <E extends AnyEndpoint>(request: Request<E>): Visitor => {
  const { caller, ip, method, url, startedAt, headers } = request;
  return {
    ip,
    method,
    url,
    startedAt,
    actor: caller.kind === 'user' ? caller.actor : null,
    userAgent: headers['user-agent'] ?? null,
    grant: headers[accessApi.grantHeader.toLowerCase()]?.toString(),
  };
};

const own = (actor: Actor): ShareScope => ({ tenantId: actor.tenantId, ownerId: actor.userId });
const all = (actor: Actor): ShareScope => ({ tenantId: actor.tenantId });

export const shareRoutes = (server: Server): Route[] => [
  ...ownerRoutes(server),
  ...visitorRoutes(server),
  ...adminRoutes(server),
];

const ownerRoutes = (server: Server): Route[] => {
  const { clock, database } = server;
  const { db } = database;
  const toView = async (share: ShareRow) => {
    const recipients = (await listRecipients(db, share.tenant_id, [share.id])).get(share.id) ?? [];
    return toShareView(share, await listFilesOf(db, share), recipients, clock.now());
  };
  return [
    route(api.createShare, async r => {
      const { share, files } = await createShare(server, r, r.body);
      const isComplete = !isLiving(share) && (r.body.addRecipients ?? []).length === 0;
      return isComplete ? toShareView(share, files, [], clock.now()) : toView(share);
    }),
    route(api.listShares, async r => {
      const { rows, total, files, now } = await findPage(server, own(r.actor), r.query);
      const ids = rows.map(({ id }) => id);
      const recipients = await listRecipients(db, r.actor.tenantId, ids);
      const toRecord = (row: ShareRow) => toShareView(row, files.get(row.id) ?? [], recipients.get(row.id) ?? [], now);
      return toPage(rows.map(toRecord), total, r.query);
    }),
    route(api.updateShare, async r => toView(await changeShare(server, r, { code: r.params.code, input: r.body }))),
    route(api.revokeShare, r => cancelShare(server, r, { scope: own(r.actor), code: r.params.code })),
    route(logsApi.listShareLogs, r => findLogs(db, own(r.actor), r.params.code, r.query)),
    route(logsApi.getShareStats, r => findStats(db, own(r.actor), r.params.code)),
  ];
};

const visitorRoutes = (server: Server): Route[] => {
  const { db } = server.database;
  return [
    route(accessApi.getShareInfo, async r => {
      const { share, files, obstacle } = await getShareInfo(server, visitorOf(r), r.params.code);
      return toInfo(share, files, obstacle === null);
    }),
    route(accessApi.openShare, async r => {
      const opening = { ...r.params, password: r.body.password, lists: true };
      const { share, grant, files } = await openShare(server, visitorOf(r), opening);
      return toOpened(share, await listShown(db, share, files), grant);
    }),
    route(accessApi.accessShare, async r => {
      const visit = await enterShare(server, visitorOf(r), r.params.code);
      const use = { ...visit, action: shareActions.VIEW, lists: true };
      const { share, grant, files } = await useShare(server, visitorOf(r), use);
      return toOpened(share, await listShown(db, share, files), grant);
    }),
    plainRoute(accessApi.downloadSharedFile, async r =>
      withGrant(await downloadShared(server, visitorOf(r), { ...r.params, http: r })),
    ),
    route(accessApi.sharedDownloadMetadata, r => getSharedMetadata(server, visitorOf(r), r.params)),
    route(accessApi.saveSharedFiles, async r => {
      const { actor, params, body, signal } = r;
      const saving = { code: params.code, hashes: body.fileHash, signal };
      return toFileViews(db, actor, await saveShared(server, { ...visitorOf(r), actor }, saving));
    }),
  ];
};

const adminRoutes = (server: Server): Route[] => {
  const { db } = server.database;
  return [
    route(adminApi.listAllShares, async r => {
      const { rows, total, files, now } = await findPage(server, all(r.actor), r.query);
      const ownerIds = rows.map(row => row.owner_id);
      const owners = await listPeople(db, r.actor.tenantId, ownerIds);
      const records = rows.map(row => {
        const owner = getPerson(owners, row.owner_id);
        const view = toShareView(row, files.get(row.id) ?? [], [], now); // recipients are the owner's own business
        return { ...view, ownerId: owner.externalId, ownerName: owner.username };
      });
      return toPage(records, total, r.query);
    }),
    route(adminApi.cancelAnyShare, r => cancelShare(server, r, { scope: all(r.actor), code: r.params.code })),
    route(adminApi.listAnyShareLogs, r => findLogs(db, all(r.actor), r.params.code, r.query)),
    route(adminApi.getAnyShareStats, r => findStats(db, all(r.actor), r.params.code)),
  ];
};

async function findPage(
  { database: { db }, clock }: Pick<Server, 'database' | 'clock'>,
  scope: ShareScope,
  query: PageRequest & { readonly status?: number | undefined },
) {
  const now = clock.now();
  const { rows, total } = await listShares(db, { ...scope, status: query.status }, query, now);
  return { rows, total, now, files: await listBegins(db, scope.tenantId, rows, listFilesOfShares) };
}

async function getShare(db: Db, scope: ShareScope, code: string): Promise<ShareRow> {
  const share = await findShareWithin(db, scope, code);
  if (!share) throw new ApiError('SHARE_NOT_FOUND');
  return share;
}

async function findLogs(db: Db, scope: ShareScope, code: string, query: PageRequest) {
  const share = await getShare(db, scope, code);
  const { rows, total } = await listAccesses(db, share, query);
  return toPage(rows.map(toAccessView), total, query);
}

async function findStats(db: Db, scope: ShareScope, code: string) {
  const share = await getShare(db, scope, code);
  const { view_count: viewCount, download_count: downloadCount, save_count: saveCount } = share;
  const uniqueActors = await countActors(db, share);
  return { viewCount, downloadCount, saveCount, uniqueActors, totalAccess: viewCount + downloadCount + saveCount };
}
