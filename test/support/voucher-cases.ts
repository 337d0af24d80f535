// Cases of test/vectors/vouchers.json: proofs and policies, the expected verdict of a reader, and our own.
import { readFileSync } from 'node:fs';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { applyPolicy } from '@recordproof/shared/evidence/policy-verdict.ts';
import { parseTlogPolicy } from '@recordproof/shared/evidence/tlog-policy.ts';
import { isProofOf, parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { noteVerifiers } from './note-keys.ts';

export type VoucherVerdict = {
  isSignedByLog: boolean;
  isContradicted: boolean;
  isReached: boolean;
  /** Seconds since 1970. */
  time: number | null;
  /** The extra data is the entry at the index. */
  isIncluded: boolean;
};

export type VoucherCase = { name: string; expected: VoucherVerdict | { error: true }; proof: string; policy: string };

export const listVoucherCases = (): VoucherCase[] =>
  JSON.parse(readFileSync(new URL('../vectors/vouchers.json', import.meta.url), 'utf8'));

export async function readVoucher(proofBytes: Uint8Array, policyBytes: Uint8Array): Promise<VoucherCase['expected']> {
  try {
    const proof = parseTlogProof(proofBytes);
    const isIncluded = proof.extra !== undefined && isProofOf(hashLeaf(proof.extra), proof);
    const policy = parseTlogPolicy(policyBytes);
    const { isSignedByLog, isContradicted, quorum } = await applyPolicy(policy, proof.note, noteVerifiers);
    return { isSignedByLog, isContradicted, isReached: quorum.isReached, time: quorum.timeSeconds ?? null, isIncluded };
  } catch (problem) {
    // Invalid UTF-8 is a TypeError of the platform.
    if (problem instanceof RangeError || problem instanceof TypeError) return { error: true };
    throw problem;
  }
}
