import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as shortApi from '@recordproof/shared/api/short-uploads.ts';
import * as api from '@recordproof/shared/api/uploads.ts';
import { applyHit } from '../../platform/http/rate-limit.ts';
import { plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { checkETags } from './check-etags.ts';
import { listReceived } from './chunk-queries.ts';
import { completeUpload } from './complete-upload.ts';
import { type Control, controlUpload } from './control-upload.ts';
import { countParts } from './count-parts.ts';
import { announceParts } from './direct-upload.ts';
import { getSignedObject } from './get-signed-object.ts';
import { hasExpired } from './policy.ts';
import { putSignedObject } from './put-signed-object.ts';
import { findUpload, listOpenUploads, type UploadRow } from './queries.ts';
import { receiveChunk } from './receive-chunk.ts';
import { restoreVersion } from './restore-version.ts';
import { ownerOf, type StartRequest, startUpload } from './start-upload.ts';
import { uploadChunk } from './upload-chunk.ts';
import { uploadFile } from './upload-file.ts';
import { uploadMany } from './upload-many.ts';
import { toCheck, toChunkReceipt, toListed, toReport, toStarted, toState } from './views.ts';

const mostListed = 1000;

export function uploadRoutes(server: Server): Route[] {
  const { db } = server.database;

  /** At once, not only after the sweep has run. */
  const isOver = (upload: UploadRow): boolean => hasExpired(upload, server.clock.now());
  const getOwn = async (request: Request, clientId: string): Promise<UploadRow> => {
    const upload = await findUpload(db, ownerOf(request.actor), clientId);
    if (!upload) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
    return isOver(upload) ? { ...upload, status: 'EXPIRED' } : upload;
  };
  const start = async (request: Request, plan: Omit<StartRequest, 'kind'>) => {
    const { upload, resumed } = await startUpload(server, request, { ...plan, kind: 'proxied' });
    return toStarted(upload, await listReceived(db, upload), resumed);
  };
  const complete = (request: Request, clientId: string, kind: 'proxied' | 'direct') =>
    completeUpload(server, request, { clientId, kind, signal: request.signal });
  const control = async (request: Request, clientId: string, wanted: Control) =>
    toState(await controlUpload(server, request, { clientId, wanted }));

  /** Announcing further parts does not start another upload. */
  const limitBeginning = async (request: Request, clientId: string | undefined) => {
    if (clientId !== undefined && (await findUpload(db, ownerOf(request.actor), clientId))) return;
    applyHit(request, await server.limiter.count('upload', `user:${request.actor.userId}`));
  };

  return [
    route(api.uploadFile, r => uploadFile(server, r)),
    route(api.restoreVersion, r => restoreVersion(server, r, r.params.id)),
    route(shortApi.uploadMany, r => uploadMany(server, r)),
    route(api.startUpload, r => start(r, r.body)),
    route(api.uploadChunk, r => uploadChunk(server, r)),
    route(api.completeUpload, r => complete(r, r.body.clientId, 'proxied')),
    route(api.pauseUpload, r => control(r, r.body.clientId, 'PAUSED')),
    route(api.resumeUpload, r => control(r, r.body.clientId, 'UPLOADING')),
    route(api.cancelUpload, r => control(r, r.body.clientId, 'CANCELLED')),
    route(api.checkUpload, async r => {
      const upload = await countParts(server, await getOwn(r, r.query.clientId));
      return toCheck(upload, await listReceived(db, upload));
    }),
    route(api.uploadProgress, async r => toReport(await countParts(server, await getOwn(r, r.query.clientId)))),
    route(api.listUploads, async r => {
      const open = await listOpenUploads(db, ownerOf(r.actor), mostListed);
      return open.filter(upload => !isOver(upload)).map(toListed);
    }),
    route(api.createUploadSession, r => start(r, completePlan(r.body, server.config.uploads.maxChunkBytes))),
    route(api.uploadPart, async r => {
      const upload = await getOwn(r, r.params.clientId);
      const { index } = r.params;
      const incoming = { index, source: r.stream, signal: r.signal, ownsBlocks: true };
      return toChunkReceipt(upload, index, await receiveChunk(server, upload, incoming));
    }),
    route(api.completeUploadSession, r => complete(r, r.params.clientId, 'proxied')),
    route(api.startDirectUpload, async r => {
      await limitBeginning(r, r.body.clientId);
      const started = await startUpload(server, r, { ...r.body, kind: 'direct' });
      return announceParts(server, r.actor, started, r.body.parts);
    }),
    route(api.completeDirectUpload, async r => {
      await checkETags(server, await getOwn(r, r.params.clientId), r.body.parts);
      return complete(r, r.params.clientId, 'direct');
    }),
    route(api.abortDirectUpload, async r => {
      await control(r, r.params.clientId, 'CANCELLED');
      return null;
    }),
    plainRoute(api.putSignedObject, r => putSignedObject(server, r)),
    plainRoute(api.getSignedObject, r => getSignedObject(server, r)),
  ];
}

type LoosePlan = Omit<StartRequest, 'kind' | 'chunkSize' | 'totalChunks'> & {
  readonly chunkSize?: number | undefined;
  readonly totalChunks?: number | undefined;
};

function completePlan(plan: LoosePlan, maxChunkBytes: number): Omit<StartRequest, 'kind'> {
  const chunkSize = plan.chunkSize ?? Math.min(maxChunkBytes, api.recommendChunkSize(plan.fileSize));
  return { ...plan, chunkSize, totalChunks: plan.totalChunks ?? api.countChunks(plan.fileSize, chunkSize) };
}
