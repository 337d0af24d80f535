import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getDocsPage, getLandingPage, getOpenApi, getSiteAsset, siteEndpoints } from '@recordproof/shared/api/site.ts';
import { toOpenApi } from '../../platform/http/openapi.ts';
import { plainRoute, type Route } from '../../platform/http/route.ts';
import { type Asset, openAsset, toAssetAnswer } from './asset.ts';
import { renderDocsPage } from './docs-page.ts';
import { docsScript } from './docs-script.ts';
import { renderLandingPage } from './landing-page.ts';
import { icon, styles } from './styles.ts';

export type SitePorts = {
  /** Every endpoint of the other features. */
  readonly endpoints: readonly AnyEndpoint[];
  readonly version: string;
  /** Where users reach this server; asked at the first request, when the port is known. */
  readonly baseUrl: () => string;
};

const pageType = 'text/html; charset=utf-8';

export function siteRoutes({ endpoints, version, baseUrl }: SitePorts): Route[] {
  const all = [...endpoints, ...siteEndpoints];
  const hasSetUp = all.some(endpoint => endpoint.name === 'setUp');
  const document = () => toOpenApi(all, version);
  const openApi = openAsset('application/json; charset=utf-8', () => JSON.stringify(document()));
  const docs = openAsset(pageType, () => renderDocsPage(all, document(), baseUrl()));
  const landing = openAsset(pageType, () => renderLandingPage({ version, baseUrl: baseUrl(), hasSetUp }));
  const files = new Map<string, () => Asset>([
    ['site.css', openAsset('text/css; charset=utf-8', () => styles)],
    ['docs.js', openAsset('text/javascript; charset=utf-8', () => docsScript)],
    ['icon.svg', openAsset('image/svg+xml', () => icon)],
  ]);
  return [
    plainRoute(getLandingPage, request => toAssetAnswer(request, landing())),
    plainRoute(getDocsPage, request => toAssetAnswer(request, docs())),
    plainRoute(getOpenApi, request => toAssetAnswer(request, openApi())),
    plainRoute(getSiteAsset, request => {
      const file = files.get(request.params.name);
      if (!file) throw new ApiError('NOT_FOUND', 'there is no such file');
      return toAssetAnswer(request, file());
    }),
  ];
}
