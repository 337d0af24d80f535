// List of routes in routes.txt: completeness, unique errors, and the authorization of every endpoint.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listEndpoints, routesFile, toRoutesText } from '../../scripts/routes.ts';
import { toFastifyPath } from '../../server/src/platform/http/http-server.ts';
import { errorTable } from '../../shared/src/api/errors.ts';
import { startApp } from '../support/app.ts';

test('routes.txt is up to date (npm run routes)', async () => {
  expect(readFileSync(routesFile, 'utf8')).toBe(await toRoutesText());
});

test('every endpoint is unique, and its errors are in the error table', async () => {
  const endpoints = await listEndpoints();
  const paths = endpoints.flatMap(({ method, path, aliases }) => [path, ...aliases].map(one => `${method} ${one}`));
  expect(new Set(paths).size).toBe(paths.length);
  expect(new Set(endpoints.map(endpoint => endpoint.name)).size).toBe(endpoints.length);
  for (const endpoint of endpoints) for (const kind of endpoint.errors) expect(errorTable).toHaveProperty(kind);
});

test('every error number is unique', () => {
  const codes = Object.values(errorTable).map(entry => entry.code);
  expect(new Set(codes).size).toBe(codes.length);
});

const served = readFileSync(routesFile, 'utf8')
  .split('\n')
  .filter(line => line !== '')
  .map(line => {
    const [call = '', , access = ''] = line.split('→').map(part => part.trim());
    const [method = '', path = ''] = call.split(' ');
    return { method, path, access };
  });

test('routes.txt lists everything that the framework serves, and nothing else', async () => {
  await using app = await startApp();
  const taken = app.app.routes.filter(route => !route.startsWith('HEAD '));
  const listed = served.map(({ method, path }) => `${method} ${toFastifyPath(path)}`);
  expect(listed.toSorted()).toEqual(taken.toSorted());
});

test('every served endpoint rejects anonymous callers, except public endpoints', async () => {
  await using app = await startApp();
  for (const { method, path, access } of served) {
    const url = path.replace('**', 'x').replace(/\{(\w+)\}/g, '1');
    const response = await app.anonymous.fetch(url, { method });
    const open = access === 'anonymous' || access === 'optional';
    const label = `${method} ${path}`;
    if (open) expect(response.status, label).not.toBe(401);
    else
      expect({ status: response.status, body: await response.json() }, label).toEqual({
        status: 401,
        body: { code: 401, message: 'sign in first', data: null },
      });
    expect(response.headers.get('x-ratelimit-limit'), label).not.toBeNull();
    expect(response.headers.get('x-trace-id'), label).toMatch(/^[0-9a-f]{32}$/);
  }
});

test('every endpoint with a permission rejects accounts without it', async () => {
  await using app = await startApp();
  const person = await app.person('ada');
  const watcher = await app.person('watcher', { role: 'monitor' });
  for (const { method, path, access } of served.filter(
    route => route.access.includes(':') || route.access === 'management',
  )) {
    const url = path.replace('**', 'x').replace(/\{(\w+)\}/g, '1');
    const [subject, action] = access.split(':');
    if (access === 'management' || subject === 'system' || action === 'admin') {
      expect((await person.fetch(url, { method })).status, `${method} ${path}`).toBe(403);
    }
    if (action === 'admin') expect((await watcher.fetch(url, { method })).status, `${method} ${path}`).toBe(403);
  }
});
