import type { CheckCode } from '../verify/check-codes.ts';
import type { Outcome, VerificationReport } from '../verify/report.ts';

export type Explanation = { headline: string; meaning: string; limits: string };

const outcomeTexts: Readonly<Record<Outcome, Explanation>> = {
  VALID: {
    headline: 'The proof holds.',
    meaning:
      'The file is byte for byte the one that was recorded. The signature is by the trusted key, the issuer says today that the proof is in force, and the chain shows the recorded root today.',
    limits: 'It does not say who wrote the file or whether what it says is true.',
  },
  INVALID: {
    headline: 'The proof does not hold.',
    meaning:
      'At least one thing does not match: the file is another one, the archive was changed, the signature is wrong, or the proof is no longer in force. The failed checks say which.',
    limits: 'It does not say who changed what. A wrong file picked by mistake gives the same result.',
  },
  INDETERMINATE: {
    headline: 'Nothing speaks against the proof, but it is not confirmed.',
    meaning:
      'Everything that could be checked agrees. Something needed for a full confirmation was not available: a trusted key, the current status, or the root on the chain. The open checks say which.',
    limits: 'Do not treat this as a confirmation.',
  },
  ERROR: {
    headline: 'The proof could not be checked.',
    meaning:
      'The archive, a key or the file is damaged, not of the expected kind, too large, or could not be read. The checks say where it stopped.',
    limits: 'It says nothing about whether the file is genuine.',
  },
};

/** A stranger's key, no key at all, and an honest check without a network are three different things. */
const reasonTexts: Readonly<Partial<Record<CheckCode, Explanation>>> = {
  TRUSTED_KEY_MISSING: {
    headline: 'No trusted key was given, so nobody knows yet who signed this.',
    meaning:
      'File and archive agree with each other. But anybody can make an archive that does: only a key that you took from the issuer by a way that you trust tells whether the issuer signed this one.',
    limits: 'Do not treat this as a confirmation.',
  },
  TRUSTED_KEY_OTHER: {
    headline: 'The proof is signed by a key that you do not trust.',
    meaning:
      'File and archive agree with each other, but the archive names another signing key, or another version of it, than the one that you gave. A forgery would look exactly like this; so does an honest proof by a key that you do not have yet.',
    limits: 'Do not treat this as a confirmation.',
  },
  OFFLINE: {
    headline:
      'The file is the recorded one and the key is right; nobody was asked whether the proof is in force today.',
    meaning:
      'File, archive and signature agree, and the signature is by the key that you trust. Whether the proof has been revoked since, and whether the chain still shows its root, can only be asked online.',
    limits: 'Do not treat this as a confirmation. Without a network this is the best possible result.',
  },
};

const validByIssuer: Explanation = {
  ...outcomeTexts.VALID,
  meaning:
    'The file is byte for byte the one that was recorded. The signature is by the key that the issuer named when it was asked, so all of this rests on the address that you gave for it. The issuer says today that the proof is in force, and the chain shows the recorded root today.',
};

/** What the result means to somebody who has to decide, and what it does not mean. */
export function explain({ outcome, reason, summary }: VerificationReport): Explanation {
  if (outcome === 'VALID' && summary.keySource === 'ISSUER') return validByIssuer;
  const special = outcome === 'INDETERMINATE' && reason !== undefined ? reasonTexts[reason] : undefined;
  return special ?? outcomeTexts[outcome];
}
