// OpenAPI 3.1 document, generated from the endpoint definitions of the routes and the typed client. Aliases are listed
// in their operation instead of repeated as paths.
import { type AnyEndpoint, type BodyForm, tokenScopeOf } from '@recordproof/shared/api/endpoint.ts';
import type { z } from 'zod';
import { type JsonSchema, openSchemaBook, type SchemaBook } from './json-schema.ts';
import { listErrors, sharedResponses, toErrorResponse } from './openapi-errors.ts';
import type { Content, OpenApi, Operation, Parameter, Ref, ResponseObject } from './openapi-types.ts';
import { isBodyOptional } from './parse.ts';

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } });

const headers = {
  TraceId: { description: 'W3C trace id of the request, for support', schema: { type: 'string' } },
  RateLimit: integerHeader('calls allowed per minute in the rate class of this endpoint'),
  RateRemaining: integerHeader('calls left'),
  RateReset: integerHeader('when the rate limit resets, in seconds since the epoch'),
  RetryAfter: integerHeader('seconds to wait before trying again'),
};

const headerRef = (name: keyof typeof headers): Ref => ({ $ref: `#/components/headers/${name}` });
const answerHeaders = {
  'X-Trace-Id': headerRef('TraceId'),
  'X-RateLimit-Limit': headerRef('RateLimit'),
  'X-RateLimit-Remaining': headerRef('RateRemaining'),
  'X-RateLimit-Reset': headerRef('RateReset'),
};

const mediaTypes: Readonly<Record<BodyForm, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  bytes: 'application/octet-stream',
};

export const toOpenApiPath = (path: string): string => path.replace(/\*\*$/, '{path}');

export function toOpenApi(endpoints: readonly AnyEndpoint[], version: string): OpenApi {
  const book = openSchemaBook();
  const paths: Record<string, Record<string, Operation>> = {};
  const seen = new Set<string>();
  for (const endpoint of endpoints) {
    if (seen.has(endpoint.name)) throw new Error(`two endpoints are called ${endpoint.name}`);
    seen.add(endpoint.name);
    const path = toOpenApiPath(endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: toOperation(endpoint, book) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'RecordProof',
      version,
      summary: 'Keeps files, and proof of what they were and when.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(endpoint => endpoint.feature))].map(name => ({ name })),
    paths,
    components: {
      schemas: book.components,
      responses: sharedResponses({ ...answerHeaders, 'Retry-After': headerRef('RetryAfter') }),
      headers,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token from POST /api/v1/auth/login, or an API token.',
        },
        streamToken: {
          type: 'apiKey',
          in: 'query',
          name: 'token',
          description: 'A token for one connection, for clients that cannot set headers.',
        },
      },
    },
  };
}

function toOperation(endpoint: AnyEndpoint, book: SchemaBook): Operation {
  const parameters = listParameters(endpoint, book);
  const body = toRequestBody(endpoint, book);
  return {
    operationId: endpoint.name,
    tags: [endpoint.feature],
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    security: toSecurity(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: toResponses(endpoint, book),
    'x-access': endpoint.access,
    ...(endpoint.access !== 'anonymous' && {
      'x-token-scope': tokenScopeOf(endpoint),
      'x-takes-folder-tokens': endpoint.folderScope !== undefined,
    }),
    'x-rate-class': endpoint.rate,
    ...(endpoint.strangerRate !== undefined && { 'x-rate-class-without-login': endpoint.strangerRate }),
    ...(endpoint.aliases.length > 0 && { 'x-aliases': endpoint.aliases }),
  };
}

function toSecurity({ access, takesStreamToken }: AnyEndpoint): Operation['security'] {
  if (access === 'anonymous') return [];
  return [...(access === 'optional' ? [{}] : []), { bearer: [] }, ...(takesStreamToken ? [{ streamToken: [] }] : [])];
}

function listParameters(endpoint: AnyEndpoint, book: SchemaBook): Parameter[] {
  const inPath = [...toOpenApiPath(endpoint.path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const params = toFields(endpoint.params, book, `${endpoint.name}Params`);
  const query = toFields(endpoint.query, book, `${endpoint.name}Query`);
  return [
    ...inPath.map(name => toParameter('path', name, params.properties[name] ?? { type: 'string' }, true)),
    ...Object.entries(query.properties).map(([name, schema]) =>
      toParameter('query', name, schema, query.required.includes(name)),
    ),
    ...Object.entries(endpoint.headers ?? {}).map(([name, description]) =>
      toParameter('header', name, { type: 'string', description }, false),
    ),
  ];
}

function toParameter(where: Parameter['in'], name: string, schema: JsonSchema, required: boolean): Parameter {
  const { description, ...rest } = schema;
  return { name, in: where, required, ...(typeof description === 'string' && { description }), schema: rest };
}

type Fields = { readonly properties: Readonly<Record<string, JsonSchema>>; readonly required: readonly string[] };

function toFields(schema: z.ZodType | undefined, book: SchemaBook, name: string): Fields {
  if (!schema) return { properties: {}, required: [] };
  const { properties = {}, required = [] } = book.toSchema(schema, 'input', name) as Partial<Fields>;
  return { properties, required };
}

function toRequestBody(endpoint: AnyEndpoint, book: SchemaBook): Operation['requestBody'] {
  if (endpoint.bodyForms.length === 0) return undefined;
  const schema = endpoint.body ? book.toSchema(endpoint.body, 'input', `${endpoint.name}Body`) : undefined;
  const content = endpoint.bodyForms.map(form => [
    mediaTypes[form],
    { schema: form === 'bytes' ? {} : (schema ?? {}) },
  ]);
  const required = endpoint.body === undefined || !isBodyOptional(endpoint.body);
  return { required, content: Object.fromEntries(content) };
}

function toResponses(endpoint: AnyEndpoint, book: SchemaBook): Operation['responses'] {
  const answer = endpoint.answer && book.toSchema(endpoint.answer, 'output', `${endpoint.name}Answer`);
  const responses: Record<string, ResponseObject | Ref> = {
    200: { description: 'Success', headers: answerHeaders, content: toContent(endpoint, answer) },
  };
  for (const [status, kinds] of listErrors(endpoint)) {
    const retry = status === '429' || status === '503' ? { 'Retry-After': headerRef('RetryAfter') } : {};
    // Health endpoints report errors in their own form.
    const plain = endpoint.answerForm === 'plain-json' && status === '503' ? answer : undefined;
    responses[status] = toErrorResponse(status, kinds, { ...answerHeaders, ...retry }, plain);
  }
  return responses;
}

function toContent(endpoint: AnyEndpoint, answer: JsonSchema | undefined): Content {
  switch (endpoint.answerForm) {
    case 'envelope':
      return { 'application/json': { schema: toEnvelopeSchema(answer ?? { type: 'null' }) } };
    case 'plain-json':
      return { 'application/json': { schema: answer ?? {} } };
    case 'text':
      return { 'text/*': { schema: { type: 'string' } } };
    case 'bytes':
      return { 'application/octet-stream': { schema: {} } };
    case 'events':
      return { 'text/event-stream': { schema: { type: 'string' } } };
  }
}

const toEnvelopeSchema = (data: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['code', 'message', 'data'],
  properties: { code: { const: 200 }, message: { type: 'string' }, data },
});
