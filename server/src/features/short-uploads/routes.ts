import * as api from '@recordproof/shared/api/short-uploads.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { uploadMany } from './upload-many.ts';

export const shortUploadRoutes = (server: Server): Route[] => [route(api.uploadMany, r => uploadMany(server, r))];
