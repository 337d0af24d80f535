// The pages that the server itself shows: where one has landed, and how to call it.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const page = (name: string, path: string, summary: string) =>
  endpoint(name, {
    feature: 'site',
    method: 'GET',
    path,
    summary,
    access: 'anonymous',
    rate: 'probe',
    answer: z.string(),
    answerForm: 'text',
  });

export const getLandingPage = page('getLandingPage', '/', 'What runs here, and where to go from here');
export const getSetupPage = page('getSetupPage', '/setup', 'A form for making the first administrator');
export const getDocsPage = page('getDocsPage', '/docs', 'This reference, as a page');

export const getVerifierPage = page('getVerifierPage', '/verify', 'A page that checks a file against its proof');

export const getOpenApi = endpoint('getOpenApi', {
  feature: 'site',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This reference, as an OpenAPI 3.1 document',
  access: 'anonymous',
  rate: 'probe',
  answer: z.record(z.string(), z.unknown()),
  answerForm: 'plain-json',
});

export const getSiteAsset = endpoint('getSiteAsset', {
  feature: 'site',
  method: 'GET',
  path: '/assets/{name}',
  summary: 'Style, script and icon of the pages',
  access: 'anonymous',
  rate: 'probe',
  params: z.object({
    name: z
      .string()
      .max(64)
      .meta({ examples: ['site.css'] }),
  }),
  answerForm: 'bytes',
  errors: ['NOT_FOUND'],
});

export const siteEndpoints = [
  getLandingPage,
  getSetupPage,
  getDocsPage,
  getVerifierPage,
  getOpenApi,
  getSiteAsset,
] as const;
