// What somebody can do about what decided the outcome; one sentence per code, at most once per report.
import type { CheckStatus, Outcome, VerificationReport } from '../verify/report.ts';

const steps: Readonly<Record<string, string>> = {
  TRUSTED_KEY_MISSING:
    'Add the issuer’s trusted key. Take it from the issuer by a way that you trust, never from the archive.',
  TRUSTED_KEY_OTHER: 'Ask the issuer for the key that the proof names: this one is another key or another version.',
  TRUSTED_KEY_INVALID: 'Get the trusted key file again: this one is damaged or not a key file.',
  OFFLINE:
    'Ask for the current status and the root on the chain: recordproof-verify --online, or a verifier service with online mode.',
  CONTENT_HASH_MISMATCH: 'Make sure that this is the right file, unchanged, and not a converted or re-saved copy.',
  STATUS_SUPERSEDED: 'A newer version of the file has its own proof. Ask its owner for that.',
  STATUS_REVOKED: 'The issuer has withdrawn this proof. Ask the issuer why.',
};

const archiveStep = 'Get the proof archive again: this one is not as it was given out.';

/** Only what decided the outcome: whoever has the wrong file need not go online for it. */
const deciding: Readonly<Record<Outcome, CheckStatus>> = {
  ERROR: 'ERROR',
  INVALID: 'FAIL',
  INDETERMINATE: 'INDETERMINATE',
  VALID: 'PASS',
};

export function listNextSteps({ outcome, checks }: VerificationReport): string[] {
  const decisive = checks.filter(check => check.status === deciding[outcome]);
  const found = decisive.flatMap(({ id, status, code }) =>
    id === 'archive.structure' && status === 'ERROR' ? archiveStep : (steps[code] ?? []),
  );
  return [...new Set(found)];
}
