// Pages served by the server: landing page, set-up, reference, verifier, app.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const common = { feature: 'site', access: 'anonymous', rate: 'probe' } as const;

const page = (name: string, path: string, summary: string) =>
  endpoint(name, {
    ...common,
    route: `GET ${path}`,
    summary,
    answer: z.string(),
    answerForm: 'text',
  });

export const getLandingPage = page('getLandingPage', '/', 'What runs here, and where to go from here');
export const getSetupPage = page('getSetupPage', '/setup', 'A form for making the first administrator');
export const getDocsPage = page('getDocsPage', '/docs', 'This reference, as a page');
export const getAppPage = page('getAppPage', '/app', 'The app: files, proofs and shares in a browser');

export const getVerifierPage = endpoint('getVerifierPage', {
  ...common,
  route: 'GET /verify',
  summary: 'A page that checks a file against its proof',
  description:
    'Opens no connection. With `ask=issuer` it also asks this server for its key, the status and the ledger.',
  query: z.object({ ask: z.enum(['issuer']).optional() }),
  answer: z.string(),
  answerForm: 'text',
});

export const getAppFile = endpoint('getAppFile', {
  ...common,
  route: 'GET /app/assets/{name}',
  summary: 'A part of the app, under a name that changes with what is in it',
  params: z.object({
    name: z
      .string()
      .max(100)
      .meta({ examples: ['app-0A1B2C3D.js'] }),
  }),
  answerForm: 'bytes',
  isPageAsset: true,
  errors: ['NOT_FOUND'],
});

export const getOpenApi = endpoint('getOpenApi', {
  ...common,
  route: 'GET /openapi.json',
  summary: 'This reference, as an OpenAPI 3.1 document',
  answer: z.record(z.string(), z.unknown()),
  answerForm: 'plain-json',
});

export const getSiteAsset = endpoint('getSiteAsset', {
  ...common,
  route: 'GET /assets/{name}',
  summary: 'Style, script and icon of the pages',
  params: z.object({
    name: z
      .string()
      .max(64)
      .meta({ examples: ['site.css'] }),
  }),
  answerForm: 'bytes',
  isPageAsset: true,
  errors: ['NOT_FOUND'],
});
