// The worker's side of queries to the page's own server: it names a path and gets the bytes fetched by the page.
import { keyLocationOf, statusLocationOf } from '@recordproof/shared/evidence/proof-entries.ts';
import {
  type ChainAddress,
  type LiveEvidence,
  type Lookup,
  parseKeyAnswer,
  parseRootAnswer,
  parseStatusAnswer,
} from '../../verify/live-evidence.ts';
import type { OriginAnswer, OriginQuestion } from './origin-port.ts';

const maxAnswerBytes = 256 * 1024;
const maxLedgerBytes = 1025 * 1024;

const chainRootLocationOf = (address: ChainAddress): string =>
  `/api/v1/public/chain-roots/${(['chainType', 'chainId', 'groupId', 'contractAddress', 'batchNo'] as const)
    .map(name => encodeURIComponent(address[name]))
    .join('/')}`;

export function askOrigin(port: MessagePort): LiveEvidence {
  const waiting = new Map<number, (lookup: Lookup<Uint8Array>) => void>();
  let lastRequest = 0;
  port.onmessage = ({ data: { at, lookup } }: MessageEvent<OriginAnswer>) => {
    waiting.get(at)?.(lookup);
    waiting.delete(at);
  };
  const get = (path: string, maxBytes = maxAnswerBytes): Promise<Lookup<Uint8Array>> => {
    const { promise, resolve } = Promise.withResolvers<Lookup<Uint8Array>>();
    lastRequest += 1;
    waiting.set(lastRequest, resolve);
    port.postMessage({ at: lastRequest, path, maxBytes } satisfies OriginQuestion);
    return promise;
  };
  return {
    findIssuerKey: async (keyId, keyVersion) => read(await get(keyLocationOf(keyId, keyVersion)), parseKeyAnswer),
    findStatus: async proofId => read(await get(statusLocationOf(proofId)), parseStatusAnswer),
    findChainRoot: async address => read(await get(chainRootLocationOf(address)), parseRootAnswer),
    readLedger: path => get(`/ledger/${path}`, maxLedgerBytes),
  };
}

function read<T>(lookup: Lookup<Uint8Array>, parse: (bytes: Uint8Array) => T): Lookup<T> {
  if (lookup.kind !== 'found') return lookup;
  try {
    return { kind: 'found', value: parse(lookup.value) };
  } catch {
    return { kind: 'unavailable', reason: 'ANSWER_MALFORMED' };
  }
}
