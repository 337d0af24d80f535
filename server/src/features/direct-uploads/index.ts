// Direct uploads: parts go to presigned addresses of the object store, and are read back before they count.
import { feature } from '../../platform/feature.ts';
import { directUploadRoutes } from './routes.ts';

export const directUploads = feature({
  name: 'direct-uploads',
  layer: 3,
  open: server => ({ routes: directUploadRoutes(server) }),
});
