import type { Outcome } from '../verify/report.ts';

/** What each outcome means to somebody who has to decide, and what it does not mean. */
export const outcomeTexts: Readonly<Record<Outcome, { headline: string; meaning: string; limits: string }>> = {
  VALID: {
    headline: 'The proof holds.',
    meaning:
      'The file is byte for byte the one that was recorded. The signature is by the trusted key, the issuer says today that the proof is in force, and the chain shows the recorded root today.',
    limits: 'It does not say who wrote the file or whether what it says is true.',
  },
  INVALID: {
    headline: 'The proof does not hold.',
    meaning:
      'At least one thing does not match: the file is another one, the archive was changed, the signature is wrong, or the proof is no longer in force. The failed checks below say which.',
    limits: 'It does not say who changed what. A wrong file picked by mistake gives the same result.',
  },
  INDETERMINATE: {
    headline: 'Nothing speaks against the proof, but it is not confirmed.',
    meaning:
      'Everything that could be checked agrees. Something needed for a full confirmation was not available: a trusted key, the current status, or the root on the chain. The open checks below say which.',
    limits: 'Do not treat this as a confirmation. Without a network this is the best possible result.',
  },
  ERROR: {
    headline: 'The proof could not be checked.',
    meaning:
      'The archive, a key or the file is damaged, not of the expected kind, too large, or could not be read. The checks below say where it stopped.',
    limits: 'It says nothing about whether the file is genuine.',
  },
};
