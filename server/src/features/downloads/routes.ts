// Routes of downloads.
import * as api from '@recordproof/shared/api/files.ts';
import { downloadMetadata } from '@recordproof/shared/api/manifests.ts';
import { plainRoute, type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { toOwner } from '../envelopes/index.ts';
import { getOwnFile, withFile } from '../files/index.ts';
import { type Delivering, downloadContent } from './download.ts';
import { downloadMany } from './download-many.ts';
import { toDownloadMetadata } from './download-metadata.ts';

export const downloadRoutes = (server: Delivering & Pick<Server, 'config' | 'hooks'>): Route[] => {
  const { db } = server.database;
  return [
    withFile(
      plainRoute(api.downloadFile, async r => {
        const file = await getOwnFile(db, r, r.params.hash);
        return downloadContent(server, r, { http: r, file, recipient: toOwner(file) });
      }),
    ),
    plainRoute(api.downloadMany, r => downloadMany(server, r, r.body)),
    route(downloadMetadata, async r => toDownloadMetadata(server, await getOwnFile(db, r, r.params.fileHash))),
  ];
};
