// The generated OpenAPI document: completeness, references, JSON Schema, parameters and responses.
import * as auth from '@recordproof/shared/api/auth.ts';
import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { errorTable } from '@recordproof/shared/api/errors.ts';
import * as monitor from '@recordproof/shared/api/monitor.ts';
import * as site from '@recordproof/shared/api/site.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  answerSchema,
  compileSchema,
  endpointsIn,
  listBadSchemas,
  listBrokenRefs,
  listOperations,
} from '../../../../test/support/openapi.ts';
import { sampleEndpoints } from '../../../../test/support/sample-endpoints.ts';
import { toOpenApi } from './openapi.ts';
import type { Operation } from './openapi-types.ts';

const endpoints = [...endpointsIn(auth), ...endpointsIn(monitor), ...endpointsIn(site), ...sampleEndpoints];
const document = toOpenApi(endpoints, '1.2.3');
const operations = listOperations(document);

function operationOf(name: string): Operation {
  const operation = operations.find(each => each.operationId === name);
  if (!operation) throw new Error(`no operation ${name}`);
  return operation;
}

const bodyOf = (name: string) => operationOf(name).requestBody;

test('the document has every endpoint once, under its own name', () => {
  expect(operations.map(operation => operation.operationId).sort()).toEqual(endpoints.map(each => each.name).sort());
  expect(document.paths['/api/v1/auth/login']?.post?.operationId).toBe('login');
  expect(document.info.version).toBe('1.2.3');
});

test('two endpoints with one name are rejected', () => {
  expect(() => toOpenApi([auth.login, auth.login], '1')).toThrow('two endpoints are called login');
});

test('every reference resolves, and every schema is valid JSON Schema 2020-12', () => {
  expect(listBrokenRefs(document)).toEqual([]);
  expect(listBadSchemas(document)).toEqual([]);
});

test('exactly the parameters in the path are described', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]);
    for (const operation of Object.values(methods)) {
      const described = (operation.parameters ?? []).filter(parameter => parameter.in === 'path');
      expect(described.map(parameter => parameter.name)).toEqual(inPath);
      expect(described.every(parameter => parameter.required)).toBe(true);
    }
  }
});

test('query parameters have their rules, and those with a default are optional', () => {
  const parameters = operationOf('listThings').parameters ?? [];
  expect(parameters.map(({ name, required }) => [name, required])).toEqual([
    ['page', false],
    ['size', false],
    ['sort', false],
    ['owner', true],
  ]);
  expect(parameters[1]?.schema).toEqual({ default: 10, type: 'integer', minimum: 1, maximum: 100 });
  expect(parameters[3]).toMatchObject({ description: 'whose things', schema: { type: 'string' } });
});

test('headers of a call are listed with a description', () => {
  const headers = (operationOf('closeThing').parameters ?? []).filter(parameter => parameter.in === 'header');
  expect(headers).toEqual([
    {
      name: 'X-Thing-Key',
      in: 'header',
      required: false,
      description: 'what opens the thing',
      schema: { type: 'string' },
    },
  ]);
});

test('a wildcard at the end of a path is a parameter named path', () => {
  expect(document.paths['/api/v1/objects/{path}']?.put?.operationId).toBe('putThing');
});

test('responses in the envelope are described with it, others without', () => {
  const check = compileSchema(document, answerSchema(document, 'login', '200'));
  expect(check({ code: 200, message: 'success', data: { token: 't', expiresIn: 60 } })).toBe(true);
  expect(check({ code: 200, message: 'success', data: null })).toBe(false);
  expect(check({ token: 't', expiresIn: 60 })).toBe(false);
  const checkHealth = compileSchema(document, answerSchema(document, 'getHealth', '200'));
  expect(checkHealth({ status: 'UP' })).toBe(true);
  const checkNothing = compileSchema(document, answerSchema(document, 'resetPassword', '200'));
  expect(checkNothing({ code: 200, message: 'success', data: null })).toBe(true);
});

test('an error of a health endpoint has its own form or the envelope', () => {
  const check = compileSchema(document, answerSchema(document, 'getReadiness', '503'));
  expect(check({ status: 'DOWN' })).toBe(true);
  expect(check({ code: 40005, message: 'not now', data: null })).toBe(true);
  expect(check({ code: 404, message: 'not now', data: null })).toBe(false);
});

test('errors are listed under their status with exactly their codes', () => {
  const operation = operationOf('createThing');
  expect(Object.keys(operation.responses)).toEqual(['200', '400', '401', '403', '409', '413', '429', '500', '503']);
  const check = compileSchema(document, answerSchema(document, 'createThing', '409'));
  expect(check({ code: errorTable.DATA_ALREADY_EXISTED.code, message: 'm', data: null })).toBe(true);
  expect(check({ code: errorTable.DATA_ALREADY_EXISTED.code, message: 'm', data: { detail: { a: 1 } } })).toBe(true);
  expect(check({ code: errorTable.CONFLICT.code, message: 'm', data: null })).toBe(false);
  const [conflict] = [operation.responses['409']];
  expect(conflict).toMatchObject({
    description: '50003 DATA_ALREADY_EXISTED: an entry with this name or id already exists; choose another',
  });
});

test('errors common to all endpoints are described once and referenced', () => {
  expect(operationOf('login').responses['429']).toEqual({ $ref: '#/components/responses/Error429' });
  expect(operationOf('getLandingPage').responses).not.toHaveProperty('401');
  expect(operationOf('me').responses).not.toHaveProperty('403');
});

test.each([
  ['login', []],
  ['me', [{ bearer: [] }]],
  ['getHealth', [{}, { bearer: [] }]],
  ['getMetrics', [{ bearer: [] }]],
  ['followThings', [{ bearer: [] }, { streamToken: [] }]],
])('the security of %s is described', (name, security) => {
  expect(operationOf(name).security).toEqual(security);
});

test('access, rate class and aliases are listed for each operation', () => {
  expect(operationOf('listThings')).toMatchObject({
    'x-access': 'file:read',
    'x-rate-class': 'other',
    'x-aliases': ['/things'],
    tags: ['sample-things'],
  });
});

test('bodies are described in each accepted form', () => {
  expect(Object.keys(bodyOf('closeThing')?.content ?? {})).toEqual([
    'application/x-www-form-urlencoded',
    'application/json',
  ]);
  expect(bodyOf('closeThing')?.required).toBe(false);
  expect(bodyOf('createThing')?.required).toBe(true);
  expect(bodyOf('sendThing')?.content['multipart/form-data']?.schema.properties).toMatchObject({
    part: { type: 'string', format: 'binary' },
  });
  expect(bodyOf('putThing')?.content).toEqual({ 'application/octet-stream': { schema: {} } });
  expect(operationOf('watchThings').responses['200']).toMatchObject({ content: { 'text/event-stream': {} } });
});

test('fields optional in a request are required in a response, also within named schemas', () => {
  const sent = compileSchema(document, bodyOf('createThing')?.content['application/json']?.schema ?? {});
  expect(sent({ name: 'a', tags: [], label: {} })).toBe(true);
  const answered = compileSchema(document, answerSchema(document, 'listThings', '200'));
  const page = (label: object) => ({
    code: 200,
    message: 'success',
    data: { records: [{ id: '1', label, root: { name: '/', folders: [] } }], total: 1, current: 1, size: 10, pages: 1 },
  });
  expect(answered(page({ colour: 'red' }))).toBe(true);
  expect(answered(page({}))).toBe(false);
});

test('a recursive schema is described to any depth', () => {
  const check = compileSchema(document, answerSchema(document, 'createThing', '200'));
  const nested = { name: '/', folders: [{ name: 'a', folders: [{ name: 'b', folders: [] }] }] };
  expect(check({ code: 200, message: 'success', data: nested })).toBe(true);
  expect(check({ code: 200, message: 'success', data: { name: '/', folders: [{ name: 'a' }] } })).toBe(false);
});

test('a path parameter without a schema is a string', () => {
  const bare = endpoint('bare', {
    feature: 'f',
    route: 'GET /x/{id}',
    summary: 's',
    access: 'anonymous',
    rate: 'other',
    query: z.object({ when: z.iso.datetime({ precision: 3 }) }),
  });
  const [id, when] = toOpenApi([bare], '1').paths['/x/{id}']?.get?.parameters ?? [];
  expect(id?.schema).toEqual({ type: 'string' });
  expect(when?.schema).toEqual({ type: 'string', format: 'date-time' });
});
