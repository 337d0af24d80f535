// Reads the frozen vectors of test/vectors and plays the answers that they hold.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export type CannedAnswer = { status: number; body?: string };

export type Vector = {
  name: string;
  why: string;
  proofPath: string;
  originalPath: string;
  trustedKeyPath: string | undefined;
  live: { key: CannedAnswer; proofStatus: CannedAnswer; chain: CannedAnswer } | undefined;
  expected: { outcome: string; check?: string; code?: string };
};

const folder = fileURLToPath(new URL('../vectors/', import.meta.url));

export function listVectors(): Vector[] {
  const names = readdirSync(folder).filter(name => /_(ok|fail)$/.test(name));
  return names.sort().map(name => {
    const item = JSON.parse(readFileSync(`${folder}${name}/case.json`, 'utf8'));
    return {
      name,
      why: item.why,
      proofPath: `${folder}${name}/proof.zip`,
      originalPath: `${folder}common/${item.original}`,
      trustedKeyPath: item.trustedKey === undefined ? undefined : `${folder}common/${item.trustedKey}`,
      live: item.live,
      expected: item.expected,
    };
  });
}

/** An issuer and a chain on the loopback that give each vector its own answers under /<name>. */
export async function serveVectors(vectors: readonly Vector[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const live = vectors.find(vector => url.startsWith(`/${vector.name}/`))?.live;
    const kind = url.includes('/proof-keys/') ? 'key' : url.includes('/status') ? 'proofStatus' : 'chain';
    const answer = live?.[kind] ?? { status: 500 };
    const location = answer.status === 302 ? { location: '/elsewhere' } : {};
    response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', ...location });
    response.end(answer.body ?? '');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    onlineArguments: (name: string): string[] => [
      '--online',
      `--issuer-base-url=${base}/${name}/issuer`,
      `--chain-url-template=${base}/${name}/chain/{chainType}/{chainId}/{groupId}/{contractAddress}/{batchNo}`,
      '--allow-host=127.0.0.1',
      '--allow-http',
      '--allow-private-addresses',
    ],
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())),
  };
}
