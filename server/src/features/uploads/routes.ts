import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as shortApi from '@recordproof/shared/api/short-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
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
  const control = async (request: Request, clientId: string, target: Control) =>
    toState(await controlUpload(server, request, { clientId, target }));

  /** Announcing further parts does not start another upload. */
  const limitBeginning = async (request: Request, clientId: string | undefined) => {
    if (clientId !== undefined && (await findUpload(db, ownerOf(request.actor), clientId))) return;
    applyHit(request, await server.limiter.count('upload', `user:${request.actor.userId}`));
  };

  return [
    route(api.uploadFile, r => uploadFile(server, r)),
    route(api.restoreVersion, r => restoreVersion(server, r, r.params.id)),
    route(shortApi.uploadMany, r => uploadMany(server, r)),
    route(chunkedApi.startUpload, r => start(r, r.body)),
    route(chunkedApi.uploadChunk, r => uploadChunk(server, r)),
    route(chunkedApi.completeUpload, r => complete(r, r.body.clientId, 'proxied')),
    route(chunkedApi.pauseUpload, r => control(r, r.body.clientId, 'PAUSED')),
    route(chunkedApi.resumeUpload, r => control(r, r.body.clientId, 'UPLOADING')),
    route(chunkedApi.cancelUpload, r => control(r, r.body.clientId, 'CANCELLED')),
    route(chunkedApi.checkUpload, async r => {
      const upload = await countParts(server, await getOwn(r, r.query.clientId));
      return toCheck(upload, await listReceived(db, upload));
    }),
    route(chunkedApi.uploadProgress, async r => toReport(await countParts(server, await getOwn(r, r.query.clientId)))),
    route(sessionApi.listUploads, async r => {
      const open = await listOpenUploads(db, ownerOf(r.actor), mostListed);
      return open.filter(upload => !isOver(upload)).map(toListed);
    }),
    route(sessionApi.createUploadSession, r => start(r, completePlan(r.body, server.config.uploads.maxChunkBytes))),
    route(sessionApi.uploadPart, async r => {
      const upload = await getOwn(r, r.params.clientId);
      const { index } = r.params;
      const incoming = { index, source: r.stream, signal: r.signal, ownsBlocks: true };
      return toChunkReceipt(upload, index, await receiveChunk(server, upload, incoming));
    }),
    route(sessionApi.completeUploadSession, r => complete(r, r.params.clientId, 'proxied')),
    route(directApi.startDirectUpload, async r => {
      await limitBeginning(r, r.body.clientId);
      const started = await startUpload(server, r, { ...r.body, kind: 'direct' });
      return announceParts(server, r.actor, started, r.body.parts);
    }),
    route(directApi.completeDirectUpload, async r => {
      await checkETags(server, await getOwn(r, r.params.clientId), r.body.parts);
      return complete(r, r.params.clientId, 'direct');
    }),
    route(directApi.abortDirectUpload, async r => {
      await control(r, r.params.clientId, 'CANCELLED');
      return null;
    }),
    plainRoute(directApi.putSignedObject, r => putSignedObject(server, r)),
    plainRoute(directApi.getSignedObject, r => getSignedObject(server, r)),
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
