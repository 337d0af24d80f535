// Routes of direct uploads.
import * as api from '@recordproof/shared/api/direct-uploads.ts';
import { ownerOf } from '../../platform/http/caller.ts';
import { applyHit } from '../../platform/http/rate-limit.ts';
import { plainRoute, type Request, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { completeUpload } from '../chunked-uploads/index.ts';
import { controlUpload, findUpload, getOwnUpload, startUpload } from '../upload-sessions/index.ts';
import { announceParts } from './announce-parts.ts';
import { checkETags } from './check-etags.ts';
import { getSignedObject, putSignedObject } from './signed-objects.ts';

export function directUploadRoutes(server: Server): Route[] {
  /** Announcing further parts does not start another upload. */
  const limitBeginning = async (request: Request, clientId: string | undefined) => {
    const isKnown = clientId !== undefined && (await findUpload(server.database.db, ownerOf(request.actor), clientId));
    if (!isKnown) applyHit(request, await server.limiter.count('upload', `user:${request.actor.userId}`));
  };

  return [
    route(api.startDirectUpload, async r => {
      await limitBeginning(r, r.body.clientId);
      const started = await startUpload(server, r, { ...r.body, kind: 'direct' });
      return announceParts(server, r.actor, started, r.body.parts);
    }),
    route(api.completeDirectUpload, async r => {
      const { clientId } = r.params;
      await checkETags(server, await getOwnUpload(server, r.actor, clientId), r.body.parts);
      return completeUpload(server, r, { clientId, kind: 'direct', signal: r.signal });
    }),
    route(api.abortDirectUpload, async r => {
      await controlUpload(server, r, { clientId: r.params.clientId, target: 'CANCELLED' });
      return null;
    }),
    plainRoute(api.putSignedObject, r => putSignedObject(server, r)),
    plainRoute(api.getSignedObject, r => getSignedObject(server, r)),
  ];
}
