// Routes of file uploads.
import * as shortApi from '@recordproof/shared/api/short-uploads.ts';
import * as api from '@recordproof/shared/api/uploads.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { restoreVersion } from './restore-version.ts';
import { uploadFile } from './upload-file.ts';
import { uploadMany } from './upload-many.ts';

export const fileUploadRoutes = (server: Server): Route[] => [
  route(api.uploadFile, r => uploadFile(server, r)),
  route(api.restoreVersion, r => restoreVersion(server, r, r.params.id)),
  route(shortApi.uploadMany, r => uploadMany(server, r)),
];
