import { parseSort, toPage } from '@recordproof/shared/api/common.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/shares.ts';
import { shareActions } from '@recordproof/shared/api/shares.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import { getPerson, listPeople } from '../accounts/index.ts';
import { originOf } from '../audit/index.ts';
import { toFileViews } from '../files/index.ts';
import { countActors, listAccesses } from './access-log.ts';
import { createShare } from './create-share.ts';
import { downloadShared, getSharedMetadata, withGrant } from './download-shared.ts';
import { cancelShare } from './end-share.ts';
import type { SharePorts, Visitor } from './ports.ts';
import {
  findShareWithin,
  listFilesOf,
  listFilesOfShares,
  listShares,
  type ShareRow,
  type ShareScope,
} from './queries.ts';
import { saveShared } from './save-shared.ts';
import { changeShare } from './update-share.ts';
import { toAccessView, toInfo, toOpened, toShareView } from './views.ts';
import { enterShare, getShareInfo, openShare, useShare } from './visit-share.ts';

export const visitorOf = <E extends AnyEndpoint>({ caller, ip, headers }: Request<E>): Visitor => ({
  actor: caller.kind === 'user' ? caller.actor : null,
  ip,
  userAgent: headers['user-agent'] ?? null,
  grant: headers[api.grantHeader.toLowerCase()]?.toString(),
});

const own = (actor: Actor): ShareScope => ({ tenantId: actor.tenantId, ownerId: actor.userId });
const all = (actor: Actor): ShareScope => ({ tenantId: actor.tenantId });

export const shareRoutes = (ports: SharePorts): Route[] => [
  ...ownerRoutes(ports),
  ...visitorRoutes(ports),
  ...adminRoutes(ports),
];

const ownerRoutes = (ports: SharePorts): Route[] => {
  const toView = async (share: ShareRow) => toShareView(share, await listFilesOf(ports.db, share), ports.clock.now());
  return [
    route(api.createShare, async r => toView(await createShare(ports, r.actor, r.body, originOf(r)))),
    route(api.listShares, async r => {
      const { rows, total, files, now } = await findPage(ports, own(r.actor), r.query);
      return toPage(
        rows.map(row => toShareView(row, files.get(row.id) ?? [], now)),
        total,
        r.query,
      );
    }),
    route(api.updateShare, async r => toView(await changeShare(ports, r.actor, r.params.code, r.body, originOf(r)))),
    route(api.revokeShare, async r => {
      await cancelShare(ports, own(r.actor), r.params.code, { actor: r.actor, origin: originOf(r) });
      return null;
    }),
    route(api.listShareLogs, r => findLogs(ports, own(r.actor), r.params.code, r.query)),
    route(api.getShareStats, r => findStats(ports, own(r.actor), r.params.code)),
  ];
};

const visitorRoutes = (ports: SharePorts): Route[] => {
  const { db } = ports;
  return [
    route(api.getShareInfo, async r => {
      const { share, files } = await getShareInfo(ports, r.params.code, visitorOf(r));
      return toInfo(share, files);
    }),
    route(api.openShare, async r => {
      const { share, grant } = await openShare(ports, r.params.code, visitorOf(r), r.body?.password);
      return toOpened(share, await listFilesOf(db, share), grant);
    }),
    route(api.accessShare, async r => {
      const visit = await enterShare(ports, r.params.code, visitorOf(r));
      const { share, grant } = await useShare(ports, visit, visitorOf(r), { action: shareActions.VIEW });
      return toOpened(share, await listFilesOf(db, share), grant);
    }),
    plainRoute(api.downloadSharedFile, async r => {
      const wanted = { ...r.params, visitor: visitorOf(r), http: r, origin: originOf(r) };
      return withGrant(await downloadShared(ports, wanted));
    }),
    route(api.sharedDownloadMetadata, r => getSharedMetadata(ports, { ...r.params, visitor: visitorOf(r) })),
    route(api.saveSharedFiles, async r => {
      const { actor, params, body, signal } = r;
      const visitor = { ...visitorOf(r), actor };
      const request = { code: params.code, hashes: body?.fileHash, visitor, origin: originOf(r), signal };
      return toFileViews(db, actor.tenantId, await saveShared(ports, request));
    }),
  ];
};

const adminRoutes = (ports: SharePorts): Route[] => [
  route(api.listAllShares, async r => {
    const { rows, total, files, now } = await findPage(ports, all(r.actor), r.query);
    const owners = await listPeople(
      ports.db,
      r.actor.tenantId,
      rows.map(row => row.owner_id),
    );
    const records = rows.map(row => {
      const owner = getPerson(owners, row.owner_id);
      const view = toShareView(row, files.get(row.id) ?? [], now);
      return { ...view, ownerId: owner.externalId, ownerName: owner.username };
    });
    return toPage(records, total, r.query);
  }),
  route(api.cancelAnyShare, async r => {
    await cancelShare(ports, all(r.actor), r.params.code, { actor: r.actor, origin: originOf(r) });
    return null;
  }),
  route(api.listAnyShareLogs, r => findLogs(ports, all(r.actor), r.params.code, r.query)),
  route(api.getAnyShareStats, r => findStats(ports, all(r.actor), r.params.code)),
];

type PageQuery = { readonly page: number; readonly size: number; readonly sort: string };

async function findPage(
  { db, clock }: SharePorts,
  scope: ShareScope,
  query: PageQuery & { readonly status?: number | undefined },
) {
  const now = clock.now();
  const request = { page: query.page, size: query.size, sort: parseSort(query.sort) };
  const { rows, total } = await listShares(db, { ...scope, status: query.status }, request, now);
  const ids = rows.map(row => row.id);
  return { rows, total, now, files: await listFilesOfShares(db, scope.tenantId, ids) };
}

async function getShare({ db }: SharePorts, scope: ShareScope, code: string): Promise<ShareRow> {
  const share = await findShareWithin(db, scope, code);
  if (!share) throw new ApiError('SHARE_NOT_FOUND');
  return share;
}

async function findLogs(ports: SharePorts, scope: ShareScope, code: string, query: PageQuery) {
  const share = await getShare(ports, scope, code);
  const { direction } = parseSort(query.sort);
  const { rows, total } = await listAccesses(ports.db, share, { ...query, direction });
  return toPage(rows.map(toAccessView), total, query);
}

async function findStats(ports: SharePorts, scope: ShareScope, code: string) {
  const share = await getShare(ports, scope, code);
  const { view_count: viewCount, download_count: downloadCount, save_count: saveCount } = share;
  const uniqueActors = await countActors(ports.db, share);
  return { viewCount, downloadCount, saveCount, uniqueActors, totalAccess: viewCount + downloadCount + saveCount };
}
