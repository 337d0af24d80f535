// Routes of upload sessions.
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as api from '@recordproof/shared/api/upload-sessions.ts';
import type { UploadStatus } from '@recordproof/shared/api/uploads.ts';
import { toIso } from '../../platform/clock.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { listReceived } from './chunk-queries.ts';
import { type Control, controlUpload } from './control-upload.ts';
import { completePlan, hasExpired } from './policy.ts';
import { listOpenUploads, type UploadRow } from './queries.ts';
import { type StartRequest, startUpload } from './start-upload.ts';

const mostListed = 1000;

export function uploadSessionRoutes(server: Server): Route[] {
  const { db } = server.database;

  const start = async (request: Request, plan: Omit<StartRequest, 'kind'>) => {
    const { upload, resumed } = await startUpload(server, request, { ...plan, kind: 'proxied' });
    return toStarted(upload, await listReceived(db, upload), resumed);
  };
  const control = async (request: Request, clientId: string, target: Control) => {
    const { client_id, status } = await controlUpload(server, request, { clientId, target });
    return { clientId: client_id, status: status as UploadStatus };
  };

  return [
    route(chunkedApi.startUpload, r => start(r, r.body)),
    route(chunkedApi.pauseUpload, r => control(r, r.body.clientId, 'PAUSED')),
    route(chunkedApi.resumeUpload, r => control(r, r.body.clientId, 'UPLOADING')),
    route(chunkedApi.cancelUpload, r => control(r, r.body.clientId, 'CANCELLED')),
    route(api.listUploads, async r => {
      const open = await listOpenUploads(db, ownerOf(r.actor), mostListed);
      return open.filter(upload => !hasExpired(upload, server.clock.now())).map(toListed);
    }),
    route(api.createUploadSession, r => start(r, completePlan(r.body, server.config.uploads))),
  ];
}

const toStarted = (row: UploadRow, uploadedChunks: number[], resumed: boolean) => ({
  clientId: row.client_id,
  chunkSize: row.chunk_size,
  totalChunks: row.total_chunks,
  singleChunk: row.total_chunks === 1,
  uploadedChunks,
  resumed,
});

const toListed = (row: UploadRow) => ({
  clientId: row.client_id,
  fileName: row.file_name,
  fileSize: row.file_size,
  status: row.status as UploadStatus,
  direct: row.kind === 'direct',
  uploadedChunkCount: row.received_chunks,
  totalChunks: row.total_chunks,
  createdAt: toIso(row.created_at),
  expiresAt: toIso(row.expires_at),
});
