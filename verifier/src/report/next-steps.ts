// What somebody can do about an open or failed check; one sentence per code, at most once per report.
import type { VerificationReport } from '../verify/report.ts';

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

export function listNextSteps({ checks }: VerificationReport): string[] {
  const notPassed = checks.filter(check => check.status !== 'PASS');
  const found = notPassed.flatMap(({ id, code }) => (id === 'archive.structure' ? archiveStep : (steps[code] ?? [])));
  return [...new Set(found)];
}
