// A vector's answers as live evidence without any network; runs in Node and in a browser.
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  type LiveEvidence,
  type Lookup,
  parseKeyAnswer,
  parseRootAnswer,
  parseStatusAnswer,
} from '@recordproof/verifier/verify/live-evidence.ts';

export type CannedAnswer = { status: number; body?: string };
export type CannedAnswers = { key: CannedAnswer; proofStatus: CannedAnswer; chain: CannedAnswer };

export function cannedEvidence(answers: CannedAnswers): LiveEvidence {
  return {
    findIssuerKey: async () => read('KEY', answers.key, parseKeyAnswer),
    findStatus: async () => read('STATUS', answers.proofStatus, parseStatusAnswer),
    findChainRoot: async () => read('CHAIN', answers.chain, parseRootAnswer),
  };
}

function read<T>(subject: string, answer: CannedAnswer, parse: (bytes: Uint8Array) => T): Lookup<T> {
  if (answer.status === 404) return { kind: 'unknown', code: `${subject}_UNKNOWN`, message: 'not known' };
  try {
    if (answer.status !== 200) throw new Error('no usable answer');
    return { kind: 'found', value: parse(toUtf8(answer.body ?? '')) };
  } catch {
    return { kind: 'unavailable', code: `${subject}_UNAVAILABLE`, message: 'no usable answer' };
  }
}
