// What somebody can do about what decided the outcome; one sentence per code, at most once per report.
import type { CheckCode } from '../verify/check-codes.ts';
import { decidingChecks, type VerificationReport } from '../verify/report.ts';

const unreachable = 'Look whether the address is right and somebody answers there, then try again.';

const stepOf: Readonly<Partial<Record<CheckCode, string>>> = {
  TRUSTED_KEY_MISSING:
    'Add the issuer’s trusted key with --trusted-key. Take it from the issuer by a way that you trust, never from the archive.',
  TRUSTED_KEY_OTHER: 'Ask the issuer for the key that the proof names: this one is another key or another version.',
  TRUSTED_KEY_INVALID: 'Get the trusted key file again: this one is damaged or not a key file.',
  OFFLINE:
    'Ask for the current status and the root on the chain: --server with the address of the issuer’s server, --online for other addresses, or a verifier service with online mode.',
  KEY_CONNECTION_FAILED: unreachable,
  STATUS_CONNECTION_FAILED: unreachable,
  CHAIN_CONNECTION_FAILED: unreachable,
  CONTENT_HASH_MISMATCH: 'Make sure that this is the right file, unchanged, and not a converted or re-saved copy.',
  STATUS_SUPERSEDED: 'A newer version of the file has its own proof. Ask its owner for that.',
  STATUS_REVOKED: 'The issuer has withdrawn this proof. Ask the issuer why.',
};

const archiveStep = 'Get the proof archive again: this one is not as it was given out.';

/** Only what decided the outcome: whoever has the wrong file need not go online for it. */
export function listNextSteps(report: Pick<VerificationReport, 'outcome' | 'checks'>): string[] {
  const steps = decidingChecks(report).flatMap(({ id, status, code }) =>
    id === 'archive.structure' && status === 'ERROR' ? archiveStep : (stepOf[code] ?? []),
  );
  return [...new Set(steps)];
}
