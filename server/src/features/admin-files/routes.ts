// Routes of file administration.
import * as api from '@recordproof/shared/api/admin-files.ts';
import { externalIdPattern, toPage } from '@recordproof/shared/api/common.ts';
import type { QueryOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { RowPage } from '../../platform/db/page.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { findAccountByExternalId, findAccountByName } from '../accounts/index.ts';
import { type FileRow, findFileByHash, searchFiles } from '../files/index.ts';
import { deleteFile } from '../trash/index.ts';
import { changeFileStatus } from './change-file-status.ts';
import { toAdministeredFiles, toFileDetails } from './views.ts';

/** A user name may look like an external id. */
async function findOwner(db: Db, tenantId: Key, owner: string): Promise<Key | null> {
  const byId = externalIdPattern.test(owner) ? await findAccountByExternalId(db, tenantId, owner) : null;
  return (byId ?? (await findAccountByName(db, tenantId, owner)))?.id ?? null;
}

/** An unknown owner has no files. */
async function findFiles(
  { database: { db, kind } }: Pick<Server, 'database'>,
  tenantId: Key,
  query: QueryOf<typeof api.listAllFiles>,
): Promise<RowPage<FileRow>> {
  const { owner, startTime, endTime, page, size, sort, ...filters } = query;
  const ownerId = owner === undefined ? undefined : await findOwner(db, tenantId, owner);
  if (ownerId === null) return { rows: [], total: 0 };
  const search = { ...filters, createdFrom: toTime(startTime), createdTo: toTime(endTime) };
  return searchFiles(db, kind, { tenantId, ownerId }, search, { page, size, sort });
}

const toTime = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso));

export const adminFileRoutes = (server: Pick<Server, 'database' | 'clock' | 'config' | 'hooks' | 'log'>): Route[] => {
  const { db } = server.database;
  return [
    route(api.listAllFiles, async r => {
      const { tenantId } = r.actor;
      const { rows, total } = await findFiles(server, tenantId, r.query);
      return toPage(await toAdministeredFiles(db, tenantId, rows), total, r.query);
    }),
    route(api.getAnyFile, async r => {
      const file = await findFileByHash(db, r.actor.tenantId, r.params.hash);
      if (file === null) throw new ApiError('FILE_NOT_EXIST');
      return toFileDetails(db, file);
    }),
    route(api.changeFileStatus, async r => {
      const file = await changeFileStatus(server, r, { fileHash: r.params.hash, ...r.body, reason: r.body.reason });
      const [view] = await toAdministeredFiles(db, r.actor.tenantId, [file]);
      return view as api.AdministeredFile;
    }),
    route(api.forceDeleteFile, async r => {
      await deleteFile(server, r, { scope: { tenantId: r.actor.tenantId }, fileHash: r.params.hash });
      return null;
    }),
  ];
};
