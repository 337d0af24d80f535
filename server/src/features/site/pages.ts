// Builders of all pages. Loaded on the first visit only, because most server starts have none.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { type BuiltApp, buildApp, buildScript } from '@recordproof/shared/node/build-script.mjs';
import { icon } from '@recordproof/shared/theme/icon.ts';
import type { Language } from '@recordproof/shared/words/words.ts';
import { buildPage } from '@recordproof/verifier/web/page/build-page.ts';
import { policyOf, toPageHtml } from '@recordproof/verifier/web/page/page-html.ts';
import { toOpenApi } from '../../platform/http/openapi.ts';
import { renderDocsPage } from './docs-page.ts';
import { drawIcon } from './icon-png.ts';
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

const toFile = <T extends string | Buffer>(text: T) => ({ text, policy: "default-src 'none'" });

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

/** As a single file, as `recordproof-verify page` writes it. Without issuer queries it may not connect anywhere. */
export async function makeVerifierPage({ language }: SiteInfo, asksIssuer: boolean): Promise<Page> {
  const sources = await buildPage();
  const mode = { kind: 'hosted', asksIssuer } as const;
  return {
    text: toPageHtml(mode, sources, language),
    policy: `${policyOf(mode, sources)}; frame-ancestors 'none'`,
  };
}

/** The verifier engine for the share page. It may not connect anywhere. */
export const makeVerifyWorker = async (): Promise<Page> =>
  toFile(await buildScript(new URL('../../../../verifier/src/web/client/statement-worker.ts', import.meta.url)));

/** Draws PDF for the page of a share. It can connect to nothing. */
export const makePdfWorker = async (): Promise<Page> =>
  toFile(await buildScript(new URL('../../../../desktop/src/bridge/browser/pdf-worker.ts', import.meta.url)));

export const makeApp = (): Promise<BuiltApp> =>
  buildApp(
    new URL('../../../../desktop/src/bridge/browser/app.tsx', import.meta.url),
    new URL('../../../../desktop/src/bridge/browser/hash-worker.ts', import.meta.url),
    new URL('../../../../verifier/src/web/client/worker.ts', import.meta.url),
    new URL('../../../../desktop/src/bridge/browser/pdf-worker.ts', import.meta.url),
    new URL('../../../../desktop/src/bridge/browser/thumbnail-worker.ts', import.meta.url),
  );
export const makeAppWorker = (): Promise<string> => buildScript(new URL('./client/app-worker.ts', import.meta.url));
export const makeShareScript = (): Promise<string> => buildScript(new URL('./client/share.ts', import.meta.url));
export const makeDropScript = (): Promise<string> => buildScript(new URL('./client/drop.ts', import.meta.url));
export const makeStyles = (): Page => toFile(styles);
export const makeIcon = (): Page => toFile(icon);
export const makeIconPng = (size: number, isSquare: boolean) => toFile(drawIcon({ size, isSquare }));
