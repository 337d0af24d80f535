// Reads the frozen vectors of test/vectors and replays their recorded answers.
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CannedAnswers } from './canned-evidence.ts';

export type Vector = {
  name: string;
  why: string;
  proofPath: string;
  originalPath: string;
  trustedKeyPath: string | undefined;
  maxFileBytes: number;
  requireTrustedKey: boolean;
  /** Only files: a verifier that takes three files can run it. */
  isFilesAlone: boolean;
  live: CannedAnswers | undefined;
  expected: { outcome: string; check?: string; code?: string };
};

const folder = fileURLToPath(new URL('../vectors/', import.meta.url));

export function listVectors(): Vector[] {
  const names = readdirSync(folder).filter(name => /_(ok|fail)$/.test(name));
  return names.sort().map(name => {
    const item = JSON.parse(readFileSync(`${folder}${name}/case.json`, 'utf8'));
    const pathOf = (input: string, path: string) => (item.unreadable === input ? `${folder}${name}/none` : path);
    return {
      name,
      why: item.why,
      proofPath: pathOf('archive', padded(`${folder}${name}/proof.zip`, item.padArchiveTo)),
      originalPath: pathOf('original', `${folder}common/${item.original}`),
      trustedKeyPath:
        item.trustedKey === undefined ? undefined : pathOf('trustedKey', `${folder}common/${item.trustedKey}`),
      maxFileBytes: item.maxFileBytes ?? 1_000_000,
      requireTrustedKey: item.requireTrustedKey ?? false,
      isFilesAlone: ['padArchiveTo', 'unreadable', 'maxFileBytes', 'requireTrustedKey'].every(own => !(own in item)),
      live: item.live,
      expected: item.expected,
    };
  });
}

/** Created once a process. */
const copies = new Map<string, string>();

/** Shared by all test processes: always the same bytes, and sparse, so that they take no disk space. */
const copyFolder = join(tmpdir(), `recordproof-test-vectors-${process.getuid?.() ?? 0}`);

/** With zero bytes appended. */
function padded(path: string, size: number | undefined): string {
  if (size === undefined) return path;
  const made = copies.get(path) ?? copyPadded(path, size);
  copies.set(path, made);
  return made;
}

function copyPadded(path: string, size: number): string {
  mkdirSync(copyFolder, { recursive: true, mode: 0o700 });
  const copy = join(copyFolder, `${basename(dirname(path))}.zip`);
  const own = `${copy}.${randomUUID()}`;
  copyFileSync(path, own);
  truncateSync(own, size);
  renameSync(own, copy);
  return copy;
}

async function* readBlocks(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

const bytesOf = (path: string): Uint8Array | 'UNREADABLE' => (existsSync(path) ? readFileSync(path) : 'UNREADABLE');

/** The vector as a request to the engine, without live evidence. */
export function toRequest(vector: Vector) {
  const { proofPath, originalPath, trustedKeyPath, maxFileBytes, requireTrustedKey } = vector;
  return {
    archive: bytesOf(proofPath),
    original: readBlocks(originalPath),
    maxOriginalBytes: maxFileBytes,
    requireTrustedKey,
    ...(trustedKeyPath === undefined ? {} : { trustedKey: bytesOf(trustedKeyPath) }),
  };
}

/** An issuer and a chain on the loopback that give each vector its own answers under /<name>. */
export async function serveVectors(vectors: readonly Vector[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const live = vectors.find(vector => url.startsWith(`/${vector.name}/`))?.live;
    const [, ledgerPath] = url.split('/ledger/');
    if (ledgerPath !== undefined) {
      const { status, base64 = '' } = live?.ledger?.[ledgerPath] ?? { status: 404 };
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end(Buffer.from(base64, 'base64'));
      return;
    }
    const kind = url.includes('/proof-keys/') ? 'key' : url.includes('/status') ? 'proofStatus' : 'chain';
    const answer = live?.[kind] ?? { status: 500 };
    const location = answer.status === 302 ? { location: '/elsewhere' } : {};
    const type = answer.mediaType ?? 'application/json; charset=utf-8';
    response.writeHead(answer.status, { 'content-type': type, ...location });
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
      ...(vectors.find(vector => vector.name === name)?.live?.ledger ? [`--ledger-url=${base}/${name}/ledger`] : []),
      '--allow-host=127.0.0.1',
      '--allow-http',
      '--allow-private-addresses',
    ],
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())),
  };
}
