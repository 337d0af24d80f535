import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/files.ts';
import { toIso } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Actor } from '../../platform/http/caller.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { toKey, toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { type FileRow, findFile } from '../files/index.ts';
import { mayContinue, maySeeChain } from './policy.ts';
import { listChain } from './queries.ts';

/** Whoever may not see the chain learns only that there is nothing. */
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
    return chain.map(version => ({
      id: toWireId(version.id),
      version: version.version,
      fileName: version.file_name,
      isLatest: version.is_latest === 1,
      createdAt: toIso(version.created_at),
    }));
  }),
  route(api.continueVersion, async r => {
    const file = await getVisible(db, r.actor, r.params.id);
    const refusal = mayContinue({ tenantId: r.actor.tenantId, ownerId: r.actor.userId }, file);
    if (refusal !== null) throw new ApiError(refusal);
    return {
      targetFileId: toWireId(file.id),
      versionGroupId: toWireId(file.version_group_id ?? file.id),
      currentVersion: file.version,
    };
  }),
];
