// Routes of previews.
import * as api from '@recordproof/shared/api/previews.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { createStream, readStream } from './streams.ts';
import { putThumbnails, readOwnThumbnails } from './thumbnails.ts';

export const previewRoutes = (server: Server): Route[] => [
  route(api.putThumbnails, r => putThumbnails(server, r, r.body.thumbnails)),
  route(api.readThumbnails, r => readOwnThumbnails(server, r, r.body.fileHashes)),
  route(api.createStream, r => createStream(server, r, r.params.hash)),
  plainRoute(api.readStream, r => readStream(server, r)),
];
