// Answers of a vector as live evidence without a network; runs in Node and in a browser.
import { parseBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  type LiveEvidence,
  type Lookup,
  parseKeyAnswer,
  parseRootAnswer,
  parseStatusAnswer,
} from '@recordproof/verifier/verify/live-evidence.ts';

export type CannedAnswer = { status: number; body?: string; mediaType?: string };
export type CannedLedger = Record<string, { status: number; base64?: string }>;
export type CannedAnswers = {
  key: CannedAnswer;
  proofStatus: CannedAnswer;
  chain: CannedAnswer;
  ledger?: CannedLedger;
};

export function cannedEvidence(answers: CannedAnswers): LiveEvidence {
  const { ledger } = answers;
  return {
    findIssuerKey: async () => read(answers.key, parseKeyAnswer),
    findStatus: async () => read(answers.proofStatus, parseStatusAnswer),
    findChainRoot: async () => read(answers.chain, parseRootAnswer),
    ...(ledger && { readLedger: async path => readBytes(ledger[path] ?? { status: 404 }) }),
  };
}

function readBytes({ status, base64 = '' }: CannedLedger[string]): Lookup<Uint8Array> {
  if (status === 404) return { kind: 'unknown' };
  if (status === 302) return { kind: 'unavailable', reason: 'REDIRECT_REFUSED' };
  return status === 200
    ? { kind: 'found', value: parseBase64(base64) }
    : { kind: 'unavailable', reason: 'ANSWER_NOT_OK' };
}

function read<T>(answer: CannedAnswer, parse: (bytes: Uint8Array) => T): Lookup<T> {
  if (answer.status === 404) return { kind: 'unknown' };
  if (answer.status === 302) return { kind: 'unavailable', reason: 'REDIRECT_REFUSED' };
  if (answer.status !== 200) return { kind: 'unavailable', reason: 'ANSWER_NOT_OK' };
  if (answer.mediaType !== undefined) return { kind: 'unavailable', reason: 'MEDIA_TYPE_REFUSED' };
  const bytes = toUtf8(answer.body ?? '');
  if (bytes.length > 256 * 1024) return { kind: 'unavailable', reason: 'ANSWER_TOO_LARGE' };
  try {
    return { kind: 'found', value: parse(bytes) };
  } catch {
    return { kind: 'unavailable', reason: 'ANSWER_MALFORMED' };
  }
}
