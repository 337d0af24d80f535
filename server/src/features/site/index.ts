// The pages of the server: landing page, set-up, API reference and its OpenAPI document, shares. All of it is served from
// here.
import { feature } from '../../platform/feature.ts';
import type { ShowError } from '../../platform/http/show-error.ts';
import { appRoutes } from './app-routes.ts';
import { showError } from './error-page.ts';
import { siteRoutes } from './routes.ts';
import { shareRoutes } from './share-routes.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** What a browser is shown where there is nothing to show. */
    readonly showError: ShowError;
  }
}

export const site = feature({
  name: 'site',
  provide: () => ({ showError }),
  floor: 4,
  open: server => ({ routes: [...siteRoutes(server), ...appRoutes(server), ...shareRoutes(server)] }),
});
