// @module-tag long
// An office: forty people behind one address who all got the same link, and open it within one minute. The rate limits are
// those of a server without settings.
import { createHash } from 'node:crypto';
import * as api from '@recordproof/shared/api/share-access.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Person, startApp, type TestApp } from '../../../../test/support/app.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { fetchShared, share, storeFile, withGrant } from '../../../../test/support/shares.ts';
import { settings } from '../../config/settings.ts';

// A hundred and sixty downloads at once.
vi.setConfig({ testTimeout: 240_000 });

const people = Array.from({ length: 40 }, (_, at) => at);
const { rateShare, rateProbe, rateOther, rateDownload } = settings;
const env = Object.fromEntries(
  [rateShare, rateProbe, rateOther, rateDownload].map(({ env: name, schema }) => [name, `${schema.parse(undefined)}`]),
);

let app: TestApp;
let signedOut: Person;
let code: string;
let files: { fileHash: string; contentHash: string }[];

beforeAll(async () => {
  app = await startApp({ env });
  const alice = await app.person('alice');
  signedOut = app.anonymous;
  files = [await storeFile(alice, 'plan.pdf', 1), await storeFile(alice, 'plan-2.pdf', 2)];
  ({ shareCode: code } = await share(
    alice,
    files.map(({ fileHash }) => fileHash),
  ));
});
afterAll(() => app?.[Symbol.asyncDispose]());

const digestOf = (body: ArrayBuffer): string =>
  `sha256:${createHash('sha256').update(Buffer.from(body)).digest('hex')}`;

async function visitInBrowser(): Promise<readonly unknown[]> {
  const open = async (path: string) => (await signedOut.fetch(path, { headers: { accept: 'text/html' } })).status;
  const frame = [await open(`/s/${code}`), await open('/assets/site.css'), await open('/assets/icon.svg')];
  const digests: string[] = [];
  for (const { fileHash } of files)
    digests.push(digestOf(await (await signedOut.fetch(`/s/${code}/files/${fileHash}`)).arrayBuffer()));
  const all = await signedOut.fetch(`/s/${code}/all.zip`);
  const { byteLength } = await all.arrayBuffer();
  return [...frame, ...digests, all.status, `${byteLength}` === all.headers.get('content-length')];
}

async function visitByProgram(): Promise<readonly unknown[]> {
  const params = { params: { code } };
  const { grant } = await signedOut.call(api.openShare, params);
  const { files: listed } = await signedOut.call(api.accessShare, { ...params, ...withGrant(grant) });
  const digests: string[] = [];
  for (const { fileHash } of listed) {
    const response = await fetchShared(signedOut, code, fileHash, withGrant(grant).headers);
    digests.push(digestOf(await response.arrayBuffer()));
  }
  return digests;
}

test('forty browsers behind one address open a share within a minute, and all are served', {
  tags: 'long',
}, async () => {
  const seen = await Promise.all(people.map(visitInBrowser));
  const whole = [200, 200, 200, ...files.map(({ contentHash }) => contentHash), 200, true];
  expect(seen).toEqual(people.map(() => whole));
  app.clock.advance(60_000);
  await app.drain();
  await checkEverything(app);
});

test('forty command line clients behind one address open a share, and all are served', async () => {
  const seen = await Promise.all(people.map(visitByProgram));
  expect(seen).toEqual(people.map(() => files.map(({ contentHash }) => contentHash)));
});
