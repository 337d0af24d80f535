// Pages of the server: landing page, set-up, API reference and OpenAPI document, shares, drop links. All assets are
// served from here.
import { feature } from '../../platform/feature.ts';
import type { ShowError } from '../../platform/http/show-error.ts';
import { appRoutes } from './app-routes.ts';
import { dropRoutes } from './drop-routes.ts';
import { showError } from './error-page.ts';
import { siteRoutes } from './routes.ts';
import { shareRoutes } from './share-routes.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Renders errors for browsers. */
    readonly showError: ShowError;
  }
}

export const site = feature({
  name: 'site',
  provide: () => ({ showError }),
  layer: 4,
  open: server => ({
    routes: [...siteRoutes(server), ...appRoutes(server), ...shareRoutes(server), ...dropRoutes(server)],
  }),
});
