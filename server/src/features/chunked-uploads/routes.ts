// Routes of chunked uploads.
import * as api from '@recordproof/shared/api/chunked-uploads.ts';
import { completeUploadSession, uploadPart } from '@recordproof/shared/api/upload-sessions.ts';
import { type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { getOwnUpload, listReceived, type UploadRow } from '../upload-sessions/index.ts';
import { completeUpload } from './complete-upload.ts';
import { receiveChunk } from './receive-chunk.ts';
import { countParts } from './stored-parts.ts';
import { uploadChunk } from './upload-chunk.ts';
import { toCheck, toChunkReceipt, toReport } from './views.ts';

export function chunkedUploadRoutes(server: Server): Route[] {
  const complete = (request: Request, clientId: string) =>
    completeUpload(server, request, { clientId, kind: 'proxied', signal: request.signal });
  const getCounted = async ({ actor }: Request, clientId: string): Promise<UploadRow> =>
    countParts(server, await getOwnUpload(server, actor, clientId));

  return [
    route(api.uploadChunk, r => uploadChunk(server, r)),
    route(api.completeUpload, r => complete(r, r.body.clientId)),
    route(api.checkUpload, async r => {
      const upload = await getCounted(r, r.query.clientId);
      return toCheck(upload, await listReceived(server.database.db, upload));
    }),
    route(api.uploadProgress, async r => toReport(await getCounted(r, r.query.clientId))),
    route(uploadPart, async r => {
      const upload = await getOwnUpload(server, r.actor, r.params.clientId);
      const { index } = r.params;
      const incoming = { index, source: r.stream, signal: r.signal, ownsBlocks: true };
      return toChunkReceipt(upload, index, await receiveChunk(server, upload, incoming));
    }),
    route(completeUploadSession, r => complete(r, r.params.clientId)),
  ];
}
