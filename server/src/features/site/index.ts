// The pages of the server: landing page, API reference and its OpenAPI document, shares. All of it is served from here.
import { type SitePorts, siteRoutes } from './routes.ts';
import { type SharePagePorts, shareRoutes } from './share-routes.ts';

export type { SitePorts };

export const site = (ports: SitePorts) => ({ name: 'site', routes: siteRoutes(ports) });

/** What is behind the link of a share. */
export const sharePages = (ports: SharePagePorts) => ({ name: 'share-pages', routes: shareRoutes(ports) });
