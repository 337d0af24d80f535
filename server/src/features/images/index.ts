// Images: avatars, and images in messages and announcements.
import { feature } from '../../platform/feature.ts';
import { imageMigrations } from './migrations.ts';
import { imageRoutes } from './routes.ts';
import { erasePictures, sweepImages, sweepJobKind } from './upload-image.ts';

export { InvalidImage } from './byte-reader.ts';
export { isOwnImage } from './queries.ts';
export { toPicture } from './strip-metadata.ts';

export const images = feature({
  name: 'images',
  layer: 2,
  migrations: imageMigrations,
  open: server => ({
    routes: imageRoutes(server),
    jobs: [sweepImages(server)],
    tenantRows: [erasePictures],
    schedules: [{ name: 'images-sweep', everySeconds: 3600, jobKind: sweepJobKind }],
  }),
});
