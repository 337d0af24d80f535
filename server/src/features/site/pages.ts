// Everything that makes the pages. Loaded at the first visit only: most starts of a server are not followed by one.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { toOpenApi } from '../../platform/http/openapi.ts';
import { renderDocsPage } from './docs-page.ts';
import { docsScript } from './docs-script.ts';
import { renderLandingPage } from './landing-page.ts';
import { renderSetUpAlready, renderSetupPage, setupScript } from './setup-page.ts';
import { shareScript } from './share-page.ts';
import { icon, styles } from './styles.ts';

export type SiteInfo = {
  readonly endpoints: readonly AnyEndpoint[];
  readonly version: string;
  readonly baseUrl: string;
};

export const makeOpenApi = ({ endpoints, version }: SiteInfo): string => JSON.stringify(toOpenApi(endpoints, version));

export const makeDocsPage = ({ endpoints, version, baseUrl }: SiteInfo): string =>
  renderDocsPage(endpoints, toOpenApi(endpoints, version), baseUrl);

export const makeLandingPage = ({ version, baseUrl }: SiteInfo, isSetUp: boolean): string =>
  renderLandingPage({ version, baseUrl, isSetUp });

export const makeSetupPage = ({ version, baseUrl }: SiteInfo, isSetUp: boolean): string =>
  isSetUp ? renderSetUpAlready(version, baseUrl) : renderSetupPage(version);
export const makeSetupScript = (): string => setupScript;
export const makeShareScript = (): string => shareScript;
export const makeStyles = (): string => styles;
export const makeScript = (): string => docsScript;
export const makeIcon = (): string => icon;
