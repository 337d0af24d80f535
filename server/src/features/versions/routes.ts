// Routes of version chains.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/files.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { chainOf, type FileRow, findFile, toFileViews } from '../files/index.ts';
import { mayContinue, maySeeChain } from './policy.ts';
import { listChain } from './queries.ts';

/** Throws FILE_NOT_EXIST without access. */
async function getVisible(db: Db, actor: Actor, wireId: string): Promise<FileRow> {
  const file = await findFile(db, actor.tenantId, toKey(wireId));
  if (!file || !maySeeChain(actor, file)) throw new ApiError('FILE_NOT_EXIST');
  return file;
}

export const versionRoutes = ({ database: { db } }: Pick<Server, 'database'>): Route[] => [
  route(api.listVersions, async r => {
    const file = await getVisible(db, r.actor, r.params.id);
    if (file.status === api.fileStatus.DELETE) throw new ApiError('FILE_NOT_EXIST');
    if (file.version_group_id === null) throw new ApiError('VERSION_CHAIN_NOT_FOUND');
    const chain = await listChain(db, r.actor.tenantId, file.version_group_id);
    const views = await toFileViews(db, r.actor, chain);
    return views.map(view => ({
      id: view.id,
      version: view.version,
      fileName: view.fileName,
      isLatest: view.isLatest,
      createdAt: view.createdAt,
      fileHash: view.fileHash,
      fileSize: view.fileSize,
      contentHash: view.contentHash,
      contentType: view.contentType,
      proofStatus: view.proofStatus,
      ownerName: view.ownerName,
    }));
  }),
  route(api.continueVersion, async r => {
    const file = await getVisible(db, r.actor, r.params.id);
    const rejection = mayContinue({ tenantId: r.actor.tenantId, ownerId: r.actor.userId }, file);
    if (rejection !== null) throw new ApiError(rejection);
    return {
      targetFileId: toWireId(file.id),
      versionGroupId: toWireId(chainOf(file)),
      currentVersion: file.version,
    };
  }),
];
