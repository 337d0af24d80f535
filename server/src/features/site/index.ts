// The pages of the server: landing page, API reference and its OpenAPI document. All of it is served from here.
import { type SitePorts, siteRoutes } from './routes.ts';

export type { SitePorts };

export const site = (ports: SitePorts) => ({ name: 'site', routes: siteRoutes(ports) });
