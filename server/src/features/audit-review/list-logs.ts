// Pages of the log. Query and count depend on the filter, so that a million rows are not read for ten.
import type { AuditRow, searchAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import { type Page, type PageRequest, toPage } from '@recordproof/shared/api/common.ts';
import type { BodyOf } from '@recordproof/shared/api/endpoint.ts';
import type { RowPage } from '../../platform/db/page.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { toKey } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import type { AuditLogRow } from '../audit/index.ts';
import { countIfMany } from './count-rows.ts';
import { type Kind, sumKinds } from './figures.ts';
import { asksForAll, countRowsOfKinds, findPageOfAll, findRows, listRowsOfKinds, type RowFilter } from './queries.ts';
import { isSensitive, readSettings } from './settings.ts';
import { toRowView } from './views.ts';

type Search = BodyOf<typeof searchAuditLogs>;
export type Filter = Omit<Search, 'page' | 'size' | 'sort' | 'pageNum' | 'pageSize'>;
type Dependencies = Pick<Server, 'database'>;

const toRowFilter = (filter: Filter): RowFilter => ({
  userId: filter.userId === undefined ? undefined : toKey(filter.userId),
  username: filter.username,
  module: filter.module,
  operationType: filter.operationType,
  status: filter.status,
  requestIp: filter.requestIp,
  from: filter.startTime === undefined ? undefined : Date.parse(filter.startTime),
  to: filter.endTime === undefined ? undefined : Date.parse(filter.endTime),
});

const toRequest = ({ page, size, sort, pageNum, pageSize }: Search): PageRequest => ({
  page: pageNum ?? page,
  size: pageSize ?? size,
  sort,
});

/** Filters with an index of their own; the few rows found are filtered by the rest. */
const filtersByActor = ({ userId, username, requestIp }: RowFilter): boolean =>
  [userId, username, requestIp].some(value => value !== undefined);

const isOfKind =
  ({ module, operationType }: RowFilter) =>
  (kind: Kind): boolean =>
    (module === undefined || kind.module === module) &&
    (operationType === undefined || kind.operationType === operationType);

async function listKinds(server: Dependencies, tenantId: Key, filter: RowFilter): Promise<Kind[]> {
  await countIfMany(server, tenantId);
  return (await sumKinds(server.database.db, tenantId)).filter(isOfKind(filter));
}

async function findOfKinds(
  db: Db,
  tenantId: Key,
  { filter, kinds }: { readonly filter: RowFilter; readonly kinds: readonly Kind[] },
  request: PageRequest,
): Promise<RowPage<AuditLogRow>> {
  if (filtersByActor(filter)) return findRows(db, tenantId, { ...filter, kinds }, request);
  const rows = await listRowsOfKinds(db, tenantId, filter, kinds, request);
  return { rows, total: await countRowsOfKinds(db, tenantId, filter, kinds) };
}

async function find(
  server: Dependencies,
  tenantId: Key,
  filter: RowFilter,
  request: PageRequest,
): Promise<RowPage<AuditLogRow>> {
  const { db } = server.database;
  if (asksForAll(filter)) return findPageOfAll(db, tenantId, request);
  const isAboutKinds = filter.module !== undefined || filter.operationType !== undefined;
  if (!isAboutKinds || filtersByActor(filter)) return findRows(db, tenantId, filter, request);
  return findOfKinds(db, tenantId, { filter, kinds: await listKinds(server, tenantId, filter) }, request);
}

const toAnswer = ({ rows, total }: RowPage<AuditLogRow>, request: PageRequest): Page<AuditRow> =>
  toPage(rows.map(toRowView), total, request);

export const findLogs = (server: Dependencies, tenantId: Key, filter: Filter, request: PageRequest) =>
  find(server, tenantId, toRowFilter(filter), request);

export async function listLogs(server: Dependencies, tenantId: Key, search: Search): Promise<Page<AuditRow>> {
  const request = toRequest(search);
  return toAnswer(await findLogs(server, tenantId, search, request), request);
}

export async function listSensitive(server: Dependencies, tenantId: Key, search: Search): Promise<Page<AuditRow>> {
  const { db } = server.database;
  const request = toRequest(search);
  const filter = toRowFilter(search);
  const settings = await readSettings(db, tenantId);
  const kinds = (await listKinds(server, tenantId, filter)).filter(kind => isSensitive(settings, kind));
  return toAnswer(await findOfKinds(db, tenantId, { filter, kinds }, request), request);
}
