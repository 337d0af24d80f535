// Routes of the server's own pages.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as api from '@recordproof/shared/api/site.ts';
import { chooseLanguage, type Language } from '@recordproof/shared/words/words.ts';
import { type PlainAnswer, plainRoute, type Request, type Route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { version } from '../../version.ts';
import { hasAdministrator } from '../auth/index.ts';
import { type AssetContent, openAsset, toAssetAnswer } from './asset.ts';
import type { Page } from './layout.ts';
import type { SiteInfo } from './pages.ts';

type Pages = typeof import('./pages.ts');

type PageAnswer = (request: Pick<Request, 'headers'>) => Promise<PlainAnswer>;

const pageType = 'text/html; charset=utf-8';

export function siteRoutes({ parts, baseUrl, database }: Pick<Server, 'parts' | 'baseUrl' | 'database'>): Route[] {
  // Read on the first request, when all features and the port are known.
  const toInfo = (language: Language): SiteInfo => ({
    language,
    endpoints: parts.flatMap(({ routes }) => routes ?? []).map(({ endpoint }) => endpoint),
    version,
    baseUrl: baseUrl(),
  });
  const asset = (
    type: string,
    make: (pages: Pages, info: SiteInfo) => AssetContent | Promise<AssetContent>,
    language: Language = 'en',
  ) => openAsset(type, async () => make(await import('./pages.ts'), toInfo(language)));
  /** One per language. */
  const page = (make: (pages: Pages, info: SiteInfo) => Page | Promise<Page>): PageAnswer => {
    const made = { en: asset(pageType, make, 'en'), zh: asset(pageType, make, 'zh') };
    return async request => toAssetAnswer(request, await made[chooseLanguage(request.headers['accept-language'])]());
  };
  const toStartPages = (isSetUp: boolean) => ({
    landing: page((pages, info) => pages.makeLandingPage(info, isSetUp)),
    setup: page((pages, info) => pages.makeSetupPage(info, isSetUp)),
  });
  const [fresh, administered] = [toStartPages(false), toStartPages(true)];
  const current = async () => ((await hasAdministrator(database)) ? administered : fresh);
  const toVerifier = (asksIssuer: boolean) => page((pages, info) => pages.makeVerifierPage(info, asksIssuer));
  const verifier = { alone: toVerifier(false), asking: toVerifier(true) };
  const openApi = asset('application/json; charset=utf-8', (pages, info) => pages.makeOpenApi(info));
  const files = new Map([
    ['site.css', asset('text/css; charset=utf-8', pages => pages.makeStyles())],
    ['icon.svg', asset('image/svg+xml', pages => pages.makeIcon())],
    ['icon-192.png', asset('image/png', pages => pages.makeIconPng(192, false))],
    ['icon-512.png', asset('image/png', pages => pages.makeIconPng(512, false))],
    ['icon-square-180.png', asset('image/png', pages => pages.makeIconPng(180, true))],
    ['icon-square-512.png', asset('image/png', pages => pages.makeIconPng(512, true))],
    ['verify-worker.js', asset('text/javascript; charset=utf-8', pages => pages.makeVerifyWorker())],
    ['pdf-worker.js', asset('text/javascript; charset=utf-8', pages => pages.makePdfWorker())],
  ]);
  return [
    plainRoute(api.getLandingPage, async request => (await current()).landing(request)),
    plainRoute(api.getSetupPage, async request => (await current()).setup(request)),
    plainRoute(
      api.getDocsPage,
      page((pages, info) => pages.makeDocsPage(info)),
    ),
    plainRoute(api.getVerifierPage, r => (r.query.ask === 'issuer' ? verifier.asking : verifier.alone)(r)),
    plainRoute(api.getOpenApi, async request => toAssetAnswer(request, await openApi())),
    plainRoute(api.getSiteAsset, async request => {
      const file = files.get(request.params.name);
      if (!file) throw new ApiError('NOT_FOUND', 'there is no such file');
      return toAssetAnswer(request, await file());
    }),
  ];
}
