// @module-tag long-on-postgres
// Generated site: OpenAPI document, API reference, links, landing page, set-up form and caching.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import * as auth from '@recordproof/shared/api/auth.ts';
import { errorTable } from '@recordproof/shared/api/errors.ts';
import * as monitor from '@recordproof/shared/api/monitor.ts';
import * as site from '@recordproof/shared/api/site.ts';
import { html } from '@recordproof/shared/theme/html.ts';
import { docsWords } from '@recordproof/shared/words/docs.ts';
import { expect, test } from 'vitest';
import { startApp, testPassword } from '../../../../test/support/app.ts';
import {
  answerSchema,
  compileSchema,
  endpointsIn,
  listBadSchemas,
  listBrokenRefs,
} from '../../../../test/support/openapi.ts';
import { sampleEndpoints } from '../../../../test/support/sample-endpoints.ts';
import { openSiteOf } from '../../../../test/support/site.ts';
import { toOpenApi } from '../../platform/http/openapi.ts';
import type { OpenApi } from '../../platform/http/openapi-types.ts';
import { toCurl } from './example.ts';
import { listFields, openResolver } from './fields.ts';

const endpoints = [...endpointsIn(auth), ...endpointsIn(monitor), ...sampleEndpoints];
const siteEndpoints = endpointsIn(site);
const baseUrl = 'https://proof.example';

const openSite = () => openSiteOf(endpoints, baseUrl);

const readPage = async (path: string): Promise<string> => {
  await using http = await openSite();
  return (await http.get(path)).text();
};

test('the served OpenAPI document has every endpoint and valid schemas', async () => {
  await using http = await openSite();
  const response = await http.get('/openapi.json');
  const document = (await response.json()) as OpenApi;
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const names = Object.values(document.paths).flatMap(path => Object.values(path).map(each => each.operationId));
  expect(names.sort()).toEqual([...endpoints, ...siteEndpoints].map(endpoint => endpoint.name).sort());
  expect([listBrokenRefs(document), listBadSchemas(document)]).toEqual([[], []]);
  const missing = await http.get('/assets/nothing.css');
  expect(missing.status).toBe(404);
  const check = compileSchema(document, answerSchema(document, 'getSiteAsset', '404'));
  expect(check(await missing.json())).toBe(true);
});

test('the reference has an anchor, an example call and the errors of every endpoint', async () => {
  const page = await readPage('/docs');
  for (const endpoint of [...endpoints, ...siteEndpoints]) {
    const [, after = ''] = page.split(`<div class="body" id="${endpoint.name}">`);
    const [own = ''] = after.split('</details>');
    expect(own).toContain(`href="#${endpoint.name}"`);
    expect(own).toContain(`curl${endpoint.method === 'GET' ? '' : ` -X ${endpoint.method}`} &#39;${baseUrl}`);
    for (const kind of endpoint.errors) expect(own).toContain(`<code>${kind}</code>`);
  }
});

test('the reference lists every error of the server', async () => {
  const page = await readPage('/docs');
  for (const [kind, { code }] of Object.entries(errorTable)) {
    expect(page).toContain(`<td>${code}</td><th scope="row"><code>${kind}</code></th>`);
  }
});

test('every link in the pages has a target', async () => {
  await using http = await openSite();
  for (const path of ['/', '/docs']) {
    const page = await (await http.get(path)).text();
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(match => match[1]));
    for (const [, link = ''] of page.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const [address = '', anchor] = link.split('#');
      if (address === '') expect(ids).toContain(anchor);
      else if (!address.startsWith('/actuator')) expect([link, (await http.get(address)).status]).toEqual([link, 200]);
    }
  }
});

test('element ids in the reference are unique', async () => {
  const ids = [...(await readPage('/docs')).matchAll(/ id="([^"]+)"/g)].map(match => match[1]);
  expect(new Set(ids).size).toBe(ids.length);
});

test('texts of contracts are escaped in the page', async () => {
  const page = await readPage('/docs');
  expect(page).toContain('List &lt;things&gt;');
  expect(page).not.toContain('<things>');
  expect(html`<p title="${'"><script>'}">${['<b>', html`<i>${'&'}</i>`, 7, null, undefined, false]}</p>`.html).toBe(
    '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;<i>&amp;</i>7</p>',
  );
});

test.each(['/', '/docs', '/docs/', '/setup'])('the page %s loads nothing from other origins', async path => {
  await using http = await openSite();
  const response = await http.get(path);
  const page = await response.text();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(response.headers.get('permissions-policy')).toContain('camera=()');
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
});

test.each([
  ['/', 0],
  ['/docs', 1],
  ['/setup', 1],
])('the page %s has %i inline script, and its policy has the hash of each', async (path, count) => {
  await using http = await openSite();
  const response = await http.get(path);
  const scripts = [...(await response.text()).matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
  expect(scripts.map(([, attributes]) => attributes)).toEqual(Array(count).fill(''));
  const digests = scripts.map(([, , text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(/script-src ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? []).toEqual(digests);
});

test('the landing page has the commands for setup and login', async () => {
  const page = await readPage('/');
  expect(page).toContain(`recordproof setup --server ${baseUrl}`);
  expect(page).toContain('href="/setup"');
  expect(page).toContain(`recordproof login --server ${baseUrl}`);
});

test('the set-up form and its link disappear once an administrator exists', async () => {
  await using app = await startApp();
  const read = async (path: string) => (await app.anonymous.fetch(path)).text();
  expect(await read('/setup')).toContain('<form');
  expect(await read('/')).toContain('href="/setup"');
  const root = { username: 'root', email: 'root@example.org', password: testPassword };
  await app.anonymous.call(auth.setUp, { body: { ...root, setupCode: app.app.setupCode ?? '' } });
  expect(await read('/setup')).not.toContain('<form');
  expect(await read('/setup')).toContain('This server is set up');
  expect(await read('/')).not.toContain('setup');
  expect(await read('/')).toContain(`recordproof login --server ${app.app.url}`);
});

test.each([
  ['site.css', 'text/css; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
  ['icon-192.png', 'image/png'],
  ['icon-square-180.png', 'image/png'],
])('%s is served with its type', async (name, type) => {
  await using http = await openSite();
  const response = await http.get(`/assets/${name}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  expect((await response.text()).length).toBeGreaterThan(100);
});

test('a page with a matching ETag responds with 304', async () => {
  await using http = await openSite();
  const first = await http.get('/docs');
  const etag = first.headers.get('etag') ?? '';
  for (const known of [etag, `"other", W/${etag}`]) {
    const again = await http.get('/docs', { headers: { 'if-none-match': known } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  }
  expect((await http.get('/docs', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});

test('pages are compressed according to Accept-Encoding', async () => {
  await using http = await openSite();
  const sizes: Record<string, [encoding: string | undefined, bytes: number]> = {};
  for (const accepted of ['gzip', 'identity', 'gzip;q=0'])
    sizes[accepted] = await new Promise((resolve, reject) => {
      request(`${http.url}/docs`, { headers: { 'accept-encoding': accepted } }, response => {
        let bytes = 0;
        response.on('data', chunk => {
          bytes += chunk.length;
        });
        response.on('end', () => resolve([response.headers['content-encoding'], bytes]));
      })
        .on('error', reject)
        .end();
    });
  expect(sizes.gzip?.[0]).toBe('gzip');
  expect(sizes.identity?.[0]).toBeUndefined();
  expect(sizes['gzip;q=0']).toEqual(sizes.identity);
  expect(sizes.gzip?.[1]).toBeLessThan((sizes.identity?.[1] ?? 0) / 5);
});

const document = toOpenApi(endpoints, '1');
const resolve = openResolver(document.components.schemas);
const reading = { resolve, texts: docsWords.en };
const curlFor = (method: string, path: string) => {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`no ${method} ${path}`);
  return toCurl({ method, path, baseUrl }, operation, resolve);
};

test('an example call has the required parameters in their formats', () => {
  expect(curlFor('get', '/api/v1/things')).toBe(
    `curl '${baseUrl}/api/v1/things?owner=<owner>' \\\n  -H "Authorization: Bearer $TOKEN"`,
  );
  expect(curlFor('post', '/api/v1/auth/login')).toBe(
    `curl -X POST '${baseUrl}/api/v1/auth/login' \\\n  -H 'Content-Type: application/json' \\\n  -d '{\n  "username": "<username>",\n  "password": "<password>"\n}'`,
  );
  expect(curlFor('post', '/api/v1/things/{id}/close')).toContain(`--data-urlencode 'note=<note>'`);
  expect(curlFor('post', '/api/v1/things/{id}/parts')).toContain(`-F 'number=0' \\\n  -F 'part=@<file>'`);
  expect(curlFor('put', '/api/v1/objects/{path}')).toBe(
    `curl -X PUT '${baseUrl}/api/v1/objects/<path>' \\\n  --data-binary '@<file>' \\\n  -o '<file>'`,
  );
  expect(curlFor('get', '/api/v1/things/events')).toBe(`curl '${baseUrl}/api/v1/things/events' \\\n  -N`);
});

test('fields are listed depth first, also those of lists and of recursive schemas', () => {
  const answer = answerSchema(document, 'listThings', '200');
  const fields = listFields(answer, reading);
  expect(fields.map(field => field.path).slice(0, 9)).toEqual([
    'code',
    'message',
    'data',
    'data.records',
    'data.records[].id',
    'data.records[].label',
    'data.records[].label.colour',
    'data.records[].root',
    'data.records[].root.name',
  ]);
  expect(fields.length).toBeLessThan(40);
  expect(fields.find(field => field.path.endsWith('colour'))).toMatchObject({
    type: 'string',
    rules: ['one of "red", "blue"', 'default "red"'],
  });
});

test('schema rules are described in words', () => {
  const rulesOf = (schema: Record<string, unknown>) => listFields(schema, reading)[0]?.rules;
  expect(rulesOf({ type: 'integer', minimum: 1, maximum: 9 })).toEqual(['1 to 9']);
  expect(rulesOf({ type: 'string', minLength: 3, maxLength: 3 })).toEqual(['length exactly 3']);
  expect(rulesOf({ type: 'array', maxItems: 5 })).toEqual(['entries at most 5']);
  expect(rulesOf({ type: 'string', pattern: '^a$' })).toEqual(['matches ^a$']);
});
