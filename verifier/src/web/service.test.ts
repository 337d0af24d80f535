// @vitest-environment-options {"process": "service: sets TMPDIR"}
// The web service over real connections: who is let in, what is refused, and that nothing is left behind.
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import {
  isTemporary,
  openTestVerifier,
  type Part,
  RawUpload,
  rawBoundary,
  rawPart,
} from '../../../test/support/verifier-service.ts';
import type { VerificationReport } from '../verify/report.ts';

const vectors = new URL('../../../test/vectors/', import.meta.url);
const read = (name: string): Buffer => readFileSync(new URL(name, vectors));
const original: Part = ['original', read('common/plain.bin')];
const proof: Part = ['proof', read('key-none_ok/proof.zip')];
const trustedKey: Part = ['trustedKey', read('common/issuer.json')];
const megabytes = (count: number) => new Uint8Array(count * 2 ** 20);

// A folder of its own: others on this machine may be verifying at the same moment.
const { TMPDIR } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'service-'));
process.env.TMPDIR = folder;
afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(folder, { recursive: true });
});

/** Temporary files of ours that have a name, or that this process still holds without one. */
function leftovers(): string[] {
  const held = readdirSync('/proc/self/fd').flatMap(descriptor => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return [];
    }
  });
  return [...readdirSync(tmpdir()), ...held.map(path => path.slice(tmpdir().length + 1))].filter(isTemporary);
}

async function rejection(answer: Promise<Response>): Promise<string> {
  const { status, headers, json } = await answer.then(async response => ({
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, string>,
  }));
  expect(Object.keys(json)).toEqual(['schemaVersion', 'code', 'message']);
  expect(json.schemaVersion).toBe('service-verifier-error.v1');
  expect(headers.get('content-type')).toBe('application/json');
  return `${status} ${json.code}`;
}

test('a request for a page with a body is answered, and its connection is closed', async () => {
  await using verifier = await openTestVerifier();
  for (const head of ['Content-Length: 1000000', 'Transfer-Encoding: chunked']) {
    const socket = connect(Number(new URL(verifier.url).port), '127.0.0.1');
    socket.on('error', () => {}).write(`GET /actuator/health HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n');
  }
});

test('the parts are accepted in any order, and the response is the report', async () => {
  await using verifier = await openTestVerifier();
  for (const parts of [
    [original, proof, trustedKey],
    [trustedKey, proof, original],
    [proof, original, trustedKey],
  ]) {
    const response = await verifier.post(parts);
    expect(response.status).toBe(200);
    const report = (await response.json()) as VerificationReport;
    expect(report).toMatchObject({ outcome: 'INDETERMINATE', summary: { keySource: 'TRUSTED_FILE' } });
    expect(report.checks).toHaveLength(21);
  }
  const withoutKey = (await (await verifier.post([original, proof])).json()) as VerificationReport;
  expect(withoutKey.summary.keySource).toBe('NONE');
  expect(leftovers()).toEqual([]);
});

test('a missing file, an unknown part and a malformed form are rejected', async () => {
  await using verifier = await openTestVerifier({ settings: { VERIFIER_RATE_LIMIT_REQUESTS: '100' } });
  expect(await rejection(verifier.post([original]))).toBe('400 PART_REQUIRED');
  expect(await rejection(verifier.post([proof, trustedKey]))).toBe('400 PART_REQUIRED');
  expect(await rejection(verifier.post([original, proof, ['more', 'x']]))).toBe('400 MULTIPART_INVALID');
  expect(await rejection(verifier.post([original, original, proof]))).toBe('400 MULTIPART_INVALID');
  const send = (body: string, type: string) =>
    rejection(fetch(`${verifier.url}api/v1/verify`, { method: 'POST', body, headers: { 'content-type': type } }));
  const type = `multipart/form-data; boundary=${rawBoundary}`;
  expect(await send('{}', 'application/json')).toBe('400 MULTIPART_INVALID');
  expect(await send('nothing of this kind', type)).toBe('400 MULTIPART_INVALID');
  const field = `--${rawBoundary}\r\ncontent-disposition: form-data; name="original"\r\n\r\ntext\r\n--${rawBoundary}--\r\n`;
  expect(await send(field, type)).toBe('400 MULTIPART_INVALID');
  const form = Buffer.concat([rawPart('original', 'x'), rawPart('proof', 'y'), Buffer.from(`--${rawBoundary}--`)]);
  expect(await send(`${form}${'x'.repeat(300_000)}`, type)).toBe('400 MULTIPART_INVALID');
  expect(leftovers()).toEqual([]);
});

test('a file field without a file counts as absent', async () => {
  await using verifier = await openTestVerifier();
  const empty = Buffer.from(rawPart('trustedKey', '').toString().replace('filename="f"', 'filename=""'));
  const body = Buffer.concat([rawPart(...original), empty, rawPart(...proof), Buffer.from(`--${rawBoundary}--\r\n`)]);
  const headers = { 'content-type': `multipart/form-data; boundary=${rawBoundary}` };
  const response = await fetch(`${verifier.url}api/v1/verify`, { method: 'POST', body, headers });
  expect(((await response.json()) as VerificationReport).summary.keySource).toBe('NONE');
});

test('an unusable trusted key is a client error', async () => {
  await using verifier = await openTestVerifier();
  expect(await rejection(verifier.post([original, proof, ['trustedKey', '{"secret-in-key":1}']]))).toBe(
    '400 TRUSTED_KEY_INVALID',
  );
});

test('each part and the whole form are limited, with and without a content length', { tags: 'long' }, async () => {
  const settings = {
    VERIFIER_MAX_ORIGINAL_FILE_BYTES: '2500',
    VERIFIER_MULTIPART_MAX_REQUEST_SIZE: '18MB',
    VERIFIER_RATE_LIMIT_REQUESTS: '100',
  };
  await using verifier = await openTestVerifier({ settings });
  expect((await verifier.post([original, proof])).status).toBe(200);
  expect(await rejection(verifier.post([['original', new Uint8Array(2501)], proof]))).toBe('413 ORIGINAL_TOO_LARGE');
  expect(await rejection(verifier.post([['proof', new Uint8Array(2 ** 24 + 1)], original]))).toBe(
    '413 PROOF_TOO_LARGE',
  );
  expect(await rejection(verifier.post([['trustedKey', new Uint8Array(2 ** 18 + 1)]]))).toBe(
    '413 TRUSTED_KEY_TOO_LARGE',
  );
  expect(await rejection(verifier.post([['proof', megabytes(18)]]))).toBe('413 REQUEST_TOO_LARGE');

  const chunked = await RawUpload.open(verifier.url, ['transfer-encoding: chunked']);
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), megabytes(1), Buffer.from('\r\n')]);
  const opening = Buffer.from(`--${rawBoundary}\r\ncontent-disposition: form-data; name="proof"; filename="f"\r\n\r\n`);
  chunked.socket.write(
    Buffer.concat([Buffer.from(`${opening.length.toString(16)}\r\n`), opening, Buffer.from('\r\n')]),
  );
  for (let count = 0; count < 20; count++) chunked.socket.write(chunk);
  expect(await chunked.until('_TOO_LARGE')).toContain('413');
  chunked.socket.destroy();
  expect(leftovers()).toEqual([]);
});

test('of eight concurrent uploads four are served and four rejected without reading their bodies', {
  tags: 'long',
}, async () => {
  await using verifier = await openTestVerifier();
  const size = 64 * 2 ** 20;
  const form = Buffer.concat([rawPart('original', megabytes(1)), rawPart('proof', proof[1])]);
  const end = Buffer.from(`--${rawBoundary}--\r\n`);
  const length = form.length + end.length;
  const held: RawUpload[] = [];
  for (let count = 0; count < 4; count++) {
    const upload = await RawUpload.open(verifier.url, [`content-length: ${length}`, 'expect: 100-continue']);
    await upload.until('100 Continue');
    upload.socket.write(form);
    held.push(upload);
  }
  const started = performance.now();
  const late = await Promise.all([1, 2, 3, 4].map(() => RawUpload.open(verifier.url, [`content-length: ${size}`])));
  for (const { socket } of late) socket.write(new Uint8Array(size));
  for (const upload of late)
    expect(await upload.until('VERIFIER_BUSY')).toMatch(/^HTTP\/1.1 503 [\s\S]*retry-after: 1\r\n/i);
  expect(performance.now() - started).toBeGreaterThan(95);
  // What the system's buffers took is all that has left.
  for (const { socket } of late) expect(socket.bytesWritten - socket.writableLength).toBeLessThan(16 * 2 ** 20);
  for (const { socket } of late) socket.destroy();
  for (const upload of held) {
    upload.socket.write(end);
    expect(await upload.until('"outcome"')).toContain('HTTP/1.1 200');
    upload.socket.destroy();
  }
  expect(verifier.lines.filter(line => line.includes('503 VERIFIER_BUSY'))).toHaveLength(4);
  expect(leftovers()).toEqual([]);
});

test('one address with four slow uploads does not block other addresses', async () => {
  await using verifier = await openTestVerifier();
  const held: RawUpload[] = [];
  for (let count = 0; count < 4; count++) {
    const upload = await RawUpload.open(verifier.url, ['content-length: 1000', 'expect: 100-continue']);
    await upload.until('100 Continue');
    held.push(upload);
  }
  // Loopback has many addresses: this one is somebody else's.
  const body = Buffer.concat([rawPart(...original), rawPart(...proof), Buffer.from(`--${rawBoundary}--\r\n`)]);
  const other = await RawUpload.open(verifier.url, [`content-length: ${body.length}`], '127.0.0.2');
  other.socket.write(body);
  expect(await other.until('"outcome"')).toContain('HTTP/1.1 200');
  expect(await held[3]?.until('VERIFIER_BUSY')).toContain('HTTP/1.1 503');
  expect(held.slice(0, 3).map(({ received }) => received.includes('HTTP/1.1 503'))).toEqual([false, false, false]);
  for (const { socket } of [...held, other]) socket.destroy();
});

test('a client with Expect: 100-continue and no free place does not send its body', async () => {
  await using verifier = await openTestVerifier({ settings: { VERIFIER_MAX_CONCURRENT: '1' } });
  const first = await RawUpload.open(verifier.url, ['content-length: 1000', 'expect: 100-continue']);
  await first.until('100 Continue');
  const second = await RawUpload.open(verifier.url, ['content-length: 1000', 'expect: 100-continue']);
  expect(await second.until('VERIFIER_BUSY')).not.toContain('100 Continue');
  first.socket.destroy();
  second.socket.destroy();
});

test('the 21st request of a minute is rejected, whatever its forwarding headers', async () => {
  let now = 0;
  await using verifier = await openTestVerifier({ now: () => now });
  for (let count = 0; count < 20; count++) {
    const response = await verifier.post([original, proof], { 'x-forwarded-for': `10.0.0.${count}` });
    expect(response.status).toBe(200);
  }
  now = 20_000;
  const rejected = verifier.post([original, proof], { 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7' });
  expect((await rejected).headers.get('retry-after')).toBe('40');
  expect(await rejection(verifier.post([original, proof]))).toBe('429 RATE_LIMITED');
  expect((await fetch(verifier.url)).status).toBe(200);
  now = 60_000;
  expect((await verifier.post([original, proof])).status).toBe(200);
});

test('an aborted or stalled upload leaves nothing behind and frees its place', { tags: 'long' }, async () => {
  const settings = { VERIFIER_MAX_CONCURRENT: '1', VERIFIER_ACQUIRE_TIMEOUT: '5s' };
  await using verifier = await openTestVerifier({ settings, pace: { minBytesPerPeriod: 100, periodMillis: 1000 } });
  const broken = await RawUpload.open(verifier.url, ['content-length: 5000000', 'expect: 100-continue']);
  await broken.until('100 Continue');
  broken.socket.write(rawPart('original', megabytes(2)));
  broken.socket.destroy();
  expect((await verifier.post([original, proof])).status).toBe(200);
  const slow = await RawUpload.open(verifier.url, ['content-length: 5000000']);
  slow.socket.write(rawPart('original', 'a little'));
  expect(await slow.until('UPLOAD_TOO_SLOW')).toContain('HTTP/1.1 408');
  expect(await rejection(verifier.post([['proof', megabytes(17)]]))).toBe('413 PROOF_TOO_LARGE');
  expect((await verifier.post([original, proof])).status).toBe(200);
  expect(verifier.lines.filter(line => line.includes('UPLOAD_TOO_SLOW'))).toHaveLength(1);
  expect(leftovers()).toEqual([]);
});

test('health returns only the status', async () => {
  await using verifier = await openTestVerifier();
  const response = await fetch(`${verifier.url}actuator/health`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'UP' }]);
  expect((await fetch(`${verifier.url}actuator/health`, { method: 'HEAD' })).status).toBe(200);
});

test('other addresses and methods are rejected', async () => {
  await using verifier = await openTestVerifier();
  expect(await rejection(fetch(`${verifier.url}secret-path`))).toBe('404 NOT_FOUND');
  expect(await rejection(fetch(`${verifier.url}__proto__`))).toBe('404 NOT_FOUND');
  const got = await fetch(`${verifier.url}api/v1/verify`);
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  expect(verifier.lines.join('\n')).not.toContain('secret-path');
});

test('the in-browser page cannot connect anywhere, and the other page only to its service', async () => {
  await using verifier = await openTestVerifier();
  const policyOf = async (path: string) =>
    (await fetch(verifier.url + path)).headers.get('content-security-policy') ?? '';
  expect(await policyOf('')).toMatch(/^default-src 'none'; script-src 'self'; .*connect-src 'none'/);
  expect(await policyOf('?through=service')).toMatch(/^default-src 'none'; script-src 'self'; .*connect-src 'self'/);
  for (const path of ['assets/worker.js', 'assets/page.js', 'assets/page.css', 'verifier.html'])
    expect(await policyOf(path)).toMatch(/^default-src 'none'; base-uri 'none'/);
  const first = await fetch(verifier.url);
  const etag = first.headers.get('etag') ?? '';
  expect((await fetch(verifier.url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect(await first.text()).not.toMatch(/<script>|<style>|style=|https?:\/\/(?!www\.w3\.org)/);
});

test('errors and log contain nothing of the request', async () => {
  await using verifier = await openTestVerifier();
  const marker = 'content-marker-4711';
  const answers = [
    await verifier.post([
      ['original', marker],
      ['proof', marker],
    ]),
    await verifier.post([['original', marker], proof, ['trustedKey', `{"${marker}":"${marker}"}`]]),
    await verifier.post([
      ['original', marker],
      [marker, marker],
    ]),
    await fetch(`${verifier.url}${marker}`),
  ];
  const texts = await Promise.all(answers.map(answer => answer.text()));
  const said = [...texts, ...verifier.lines].join('\n');
  expect(verifier.lines).toHaveLength(4);
  expect(said).not.toContain(marker);
  expect(said).not.toContain(tmpdir());
});
