// File lists over HTTP: filters, pages, media types by extension, and compression of responses.
import { listFiles, searchFiles } from '@recordproof/shared/api/files.ts';
import { getAppPage } from '@recordproof/shared/api/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';
import { share } from '../../../../test/support/shares.ts';
import { sendFile } from '../../../../test/support/uploads.ts';
import { toInertType } from '../downloads/inert-type.ts';
import { knownTypes, toMediaType } from './media-types.ts';

let app: TestApp;
let ada: Person;
beforeAll(async () => {
  app = await startApp({ env: laptop });
  ada = await app.person('ada');
  for (let number = 0; number < 23; number += 1)
    await sendFile(ada, Buffer.from(`${number}`), `note ${String(number).padStart(2, '0')}.txt`);
  await sendFile(ada, Buffer.from('quarter'), 'Report Q3.PDF', { path: 'work/2026' });
  await sendFile(ada, Buffer.alloc(5000, 'x'), 'picture.webp', { path: 'work' });
  await sendFile(ada, Buffer.from('young'), 'unknown.thing', { path: 'work' });
  await app.drain();
});
afterAll(() => app[Symbol.asyncDispose]());

type Query = Parameters<typeof ada.call<typeof searchFiles>>[1];
const find = async (query: object) =>
  (await ada.call(searchFiles, { query: { sort: 'fileName,asc', ...query } } as Query)).records.map(
    file => file.fileName,
  );

test('the list is filtered by a keyword, and its pages contain every file', async () => {
  const { records } = await ada.call(listFiles, { query: { keyword: 'report' } });
  expect(records.map(file => file.fileName)).toEqual(['Report Q3.PDF']);
  const pages = await Promise.all(
    [1, 2, 3].map(page => ada.call(listFiles, { query: { keyword: 'note', size: 10, page, sort: 'fileName,asc' } })),
  );
  expect(pages.map(page => page.records.length)).toEqual([10, 10, 3]);
  expect(pages[2]?.records[2]?.fileName).toBe('note 22.txt');
});

test('a search filters by folder, type, size, proof and share, together with a name', async () => {
  const { records } = await ada.call(searchFiles, { query: { keyword: 'picture' } });
  await share(
    ada,
    records.map(file => file.fileHash),
  );
  expect(await find({ folder: 'work' })).toEqual(['picture.webp', 'unknown.thing']);
  expect(await find({ path: 'work' })).toEqual(['picture.webp', 'Report Q3.PDF', 'unknown.thing']);
  expect(await find({ folder: '', keyword: 'note 1' })).toHaveLength(10);
  expect(await find({ type: 'image' })).toEqual(['picture.webp']);
  expect(await find({ type: 'application/pdf', keyword: 'report' })).toEqual(['Report Q3.PDF']);
  expect(await find({ minSize: 5, maxSize: 7 })).toEqual(['Report Q3.PDF', 'unknown.thing']);
  expect(await find({ proofStatus: 'ISSUED', path: 'work/2026' })).toEqual(['Report Q3.PDF']);
  expect(await find({ proofStatus: 'PENDING', path: 'work' })).toEqual([]);
  expect(await find({ shared: true })).toEqual(['picture.webp']);
  expect(await find({ shared: false, path: 'work' })).toEqual(['Report Q3.PDF', 'unknown.thing']);
  expect((await ada.expectError(searchFiles, { query: { type: 'im%age' } })).status).toBe(400);
});

test('the media type is derived from the extension unless the client sends one, and never executable', async () => {
  const { records } = await ada.call(listFiles, { query: { path: 'work', sort: 'fileName,asc' } });
  expect(records.map(file => file.contentType)).toEqual(['image/webp', 'application/pdf', 'application/octet-stream']);
  expect(toMediaType('text/html', 'page.pdf')).toBe('text/html'); // what is said counts
  for (const name of ['page.html', 'image.svg', 'code.js', 'constructor', 'x.__proto__'])
    expect(toMediaType('application/octet-stream', name)).toBe('application/octet-stream');
  for (const type of knownTypes) expect(toInertType(type)).toBe(type);
});

test('JSON is compressed according to Accept-Encoding, except small responses and HEAD', {
  tags: 'long-on-postgres',
}, async () => {
  const address = `${app.app.url}${listFiles.path}?size=100`;
  const { token } = ada;
  const ask = async (encoding: string, url = address, method = 'GET') => {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding },
    });
    const { headers } = response;
    const { length } = await response.text();
    return [headers.get('content-encoding'), headers.get('vary'), length > 5000] as const;
  };
  expect(await ask('identity')).toEqual([null, 'accept-encoding', true]);
  expect(await ask('gzip, deflate, br')).toEqual(['br', 'accept-encoding', true]);
  expect(await ask('gzip;q=0.5, br;q=0')).toEqual(['gzip', 'accept-encoding', true]);
  expect((await ask('br', `${address}&keyword=nothing`))[0]).toBe(null);
  expect((await ask('br', address, 'HEAD'))[0]).toBe(null);
  const page = await fetch(`${app.app.url}${getAppPage.path}`, { headers: { 'accept-encoding': 'br' } });
  expect([page.headers.get('content-encoding'), (await page.text()).includes('</html>')]).toEqual(['br', true]);
});
