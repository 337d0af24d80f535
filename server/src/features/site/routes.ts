import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  getDocsPage,
  getLandingPage,
  getOpenApi,
  getSetupPage,
  getSiteAsset,
  siteEndpoints,
} from '@recordproof/shared/api/site.ts';
import { plainRoute, type Route } from '../../platform/http/route.ts';
import { openAsset, toAssetAnswer } from './asset.ts';
import type { SiteInfo } from './pages.ts';

export type SitePorts = {
  /** Every endpoint of the other features. */
  readonly endpoints: readonly AnyEndpoint[];
  readonly version: string;
  /** Where users reach this server; asked at the first request, when the port is known. */
  readonly baseUrl: () => string;
  /** While nobody is, the pages lead to the form that makes the first administrator. */
  readonly hasAdministrator: () => Promise<boolean>;
};

type Pages = typeof import('./pages.ts');

const pageType = 'text/html; charset=utf-8';

export function siteRoutes({ endpoints, version, baseUrl, hasAdministrator }: SitePorts): Route[] {
  const all = [...endpoints, ...siteEndpoints];
  const asset = (type: string, make: (pages: Pages, info: SiteInfo) => string) =>
    openAsset(type, async () => make(await import('./pages.ts'), { endpoints: all, version, baseUrl: baseUrl() }));
  const fresh = {
    landing: asset(pageType, (pages, info) => pages.makeLandingPage(info, false)),
    setup: asset(pageType, (pages, info) => pages.makeSetupPage(info, false)),
  };
  const settled = {
    landing: asset(pageType, (pages, info) => pages.makeLandingPage(info, true)),
    setup: asset(pageType, (pages, info) => pages.makeSetupPage(info, true)),
  };
  const current = async () => ((await hasAdministrator()) ? settled : fresh);
  const docs = asset(pageType, (pages, info) => pages.makeDocsPage(info));
  const openApi = asset('application/json; charset=utf-8', (pages, info) => pages.makeOpenApi(info));
  const files = new Map([
    ['site.css', asset('text/css; charset=utf-8', pages => pages.makeStyles())],
    ['docs.js', asset('text/javascript; charset=utf-8', pages => pages.makeScript())],
    ['setup.js', asset('text/javascript; charset=utf-8', pages => pages.makeSetupScript())],
    ['share.js', asset('text/javascript; charset=utf-8', pages => pages.makeShareScript())],
    ['icon.svg', asset('image/svg+xml', pages => pages.makeIcon())],
  ]);
  return [
    plainRoute(getLandingPage, async request => toAssetAnswer(request, await (await current()).landing())),
    plainRoute(getSetupPage, async request => toAssetAnswer(request, await (await current()).setup())),
    plainRoute(getDocsPage, async request => toAssetAnswer(request, await docs())),
    plainRoute(getOpenApi, async request => toAssetAnswer(request, await openApi())),
    plainRoute(getSiteAsset, async request => {
      const file = files.get(request.params.name);
      if (!file) throw new ApiError('NOT_FOUND', 'there is no such file');
      return toAssetAnswer(request, await file());
    }),
  ];
}
