// The trash of an owner: deleted files whose bytes are kept. The retention job of the feature files purges them.
import { feature } from '../../platform/feature.ts';
import { trashRoutes } from './routes.ts';

export const trash = feature({ name: 'trash', floor: 2, open: server => ({ routes: trashRoutes(server) }) });
