// Online sources of evidence: caching of roots, uncached status, anonymous requests, rate limits.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openOnlineEvidence } from './online-evidence.ts';

const root = {
  schemaVersion: 'service-chain-root-resolution.v1',
  chainType: 'EVM',
  chainId: '1',
  groupId: 'default',
  contractAddress: `0x${'a'.repeat(40)}`,
  batchNo: 'MB-1',
  merkleRoot: 'b'.repeat(64),
  blockNumber: 7,
};
const proofId = `rp-proof-${'c'.repeat(64)}`;
const status = {
  proofId,
  status: 'ACTIVE',
  statusVersion: 1,
  issuedStatus: 'ACTIVE',
  keyId: 'k',
  keyVersion: 1,
  reason: null,
  issuedAt: 1,
  updatedAt: '2026-01-01T00:00:00Z',
};

const asked: { url: string; headers: object }[] = [];
const server = createServer((request, response) => {
  asked.push({ url: request.url ?? '', headers: request.headers });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(request.url?.startsWith('/chain') ? root : { code: 200, message: 'ok', data: status }));
});
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

let now = 0;
const evidence = openOnlineEvidence(
  {
    issuerBaseUrl: `${base}/issuer`,
    chainUrlTemplate: `${base}/chain/{batchNo}`,
    allowedHosts: ['127.0.0.1'],
    allowHttp: true,
    allowPrivateAddresses: true,
  },
  { now: () => now },
);

test('a chain root is cached for thirty seconds', async () => {
  const { schemaVersion: _, merkleRoot: __, blockNumber: ___, ...address } = root;
  for (const [at, times] of [
    [0, 1],
    [29_999, 1],
    [30_000, 2],
  ] as const) {
    now = at;
    expect(await evidence.findChainRoot(address)).toMatchObject({ kind: 'found', value: { blockNumber: 7 } });
    expect(asked.filter(({ url }) => url === '/chain/MB-1')).toHaveLength(times);
  }
});

test('a status is never cached', async () => {
  const before = asked.length;
  for (let i = 0; i < 2; i++) expect(await evidence.findStatus(proofId)).toMatchObject({ kind: 'found' });
  expect(asked.slice(before).map(({ url }) => url)).toEqual([
    `/issuer/api/v1/public/proofs/${proofId}/status`,
    `/issuer/api/v1/public/proofs/${proofId}/status`,
  ]);
});

test('a response of another kind is not accepted as a key', async () => {
  expect(await evidence.findIssuerKey('k', 1)).toMatchObject({ kind: 'unavailable', reason: 'ANSWER_MALFORMED' });
});

test('no token, cookie or tenant is sent', () => {
  for (const { headers } of asked)
    expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
});

test('a rate limit is waited for in a command with a listener, and is unavailable in a service', async () => {
  let rejections = 0;
  const full = createServer((_request, response) => {
    rejections += 1;
    if (rejections > 2) return void response.setHeader('content-type', 'application/json').end(JSON.stringify(root));
    response.writeHead(rejections === 1 ? 429 : 503, { 'retry-after': '0' }).end();
  });
  await new Promise<void>(resolve => full.listen(0, '127.0.0.1', resolve));
  const { port } = full.address() as AddressInfo;
  const options = {
    issuerBaseUrl: `http://127.0.0.1:${port}`,
    chainUrlTemplate: `http://127.0.0.1:${port}/{batchNo}`,
    allowedHosts: [`127.0.0.1:${port}`],
    allowHttp: true,
    allowPrivateAddresses: true,
  };
  const { schemaVersion: _, merkleRoot: __, blockNumber: ___, ...address } = root;
  expect(await openOnlineEvidence(options).findChainRoot(address)).toEqual({
    kind: 'unavailable',
    reason: 'ANSWER_NOT_OK',
  });
  rejections = 0;
  const told: [string, number][] = [];
  const patient = openOnlineEvidence(options, { onWait: (host, seconds) => told.push([host, seconds]) });
  expect(await patient.findChainRoot(address)).toMatchObject({ kind: 'found' });
  expect(told).toEqual(Array(2).fill([`127.0.0.1:${port}`, 0]));
  full.close();
});
