// Previews of files: thumbnails, sealed with the key of their file, and addresses that media elements play.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { previewMigrations } from './migrations.ts';
import { deleteThumbnail } from './queries.ts';
import { previewRoutes } from './routes.ts';

export { listWithThumbnail } from './queries.ts';
export { readThumbnail } from './thumbnails.ts';

export const previews = feature({
  name: 'previews',
  layer: 2,
  migrations: previewMigrations,
  open: server => ({
    routes: previewRoutes(server),
    hooks: { filePurged: (tx, file) => deleteThumbnail(tx, file) },
    tenantRows: [rowsOf('thumbnail')],
  }),
});
