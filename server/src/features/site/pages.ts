// Everything that makes the pages. Loaded at the first visit only: most starts of a server are not followed by one.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { icon } from '@recordproof/shared/look/icon.ts';
import { type BuiltApp, buildApp, buildScript } from '@recordproof/shared/node/build-script.mjs';
import type { Language } from '@recordproof/shared/words/words.ts';
import { buildPage } from '@recordproof/verifier/web/page/build-page.ts';
import { savedPolicy, toPageHtml } from '@recordproof/verifier/web/page/page-html.ts';
import { toOpenApi } from '../../platform/http/openapi.ts';
import { renderDocsPage } from './docs-page.ts';
import { renderLandingPage } from './landing-page.ts';
import type { Page } from './layout.ts';
import { renderSetUpAlready, renderSetupPage } from './setup-page.ts';
import { styles } from './styles.ts';

export type SiteInfo = {
  readonly language: Language;
  readonly endpoints: readonly AnyEndpoint[];
  readonly version: string;
  readonly baseUrl: string;
};

const toFile = (text: string): Page => ({ text, policy: "default-src 'none'" });

export const makeOpenApi = ({ endpoints, version }: SiteInfo): Page =>
  toFile(JSON.stringify(toOpenApi(endpoints, version)));

export const makeDocsPage = async ({ language, endpoints, version, baseUrl }: SiteInfo): Promise<Page> =>
  renderDocsPage({
    language,
    endpoints,
    document: toOpenApi(endpoints, version),
    baseUrl,
    script: await buildScript(new URL('./client/docs.ts', import.meta.url)),
  });

export const makeLandingPage = (info: SiteInfo, isSetUp: boolean): Page => renderLandingPage({ ...info, isSetUp });

export const makeSetupPage = async (info: SiteInfo, isSetUp: boolean): Promise<Page> =>
  isSetUp
    ? renderSetUpAlready(info)
    : renderSetupPage(info, await buildScript(new URL('./client/setup.ts', import.meta.url)));

/** The very page that `recordproof-verify page` writes: it can connect to nothing, and so works without this server too. */
export async function makeVerifierPage({ language }: SiteInfo): Promise<Page> {
  const sources = await buildPage();
  return {
    text: toPageHtml({ kind: 'saved' }, sources, language),
    policy: `${savedPolicy(sources)}; frame-ancestors 'none'`,
  };
}

export const makeApp = (): Promise<BuiltApp> =>
  buildApp(
    new URL('../../../../desktop/src/bridge/browser/app.tsx', import.meta.url),
    new URL('../../../../desktop/src/bridge/browser/hash-worker.ts', import.meta.url),
    new URL('../../../../verifier/src/web/client/worker.ts', import.meta.url),
    new URL('../../../../desktop/src/bridge/browser/pdf-worker.ts', import.meta.url),
  );
export const makeShareScript = (): Promise<string> => buildScript(new URL('./client/share.ts', import.meta.url));
export const makeStyles = (): Page => toFile(styles);
export const makeIcon = (): Page => toFile(icon);
