// One verification of files on this machine. Opens no connection unless the options ask for it: the online code is not
// even loaded before.
import { maxArchiveBytes } from '@recordproof/shared/evidence/proof-archive.ts';
import type { VerificationOptions } from '../options.ts';
import { withProgress } from '../report/progress.ts';
import type { Unreadable } from '../verify/case-file.ts';
import type { VerificationReport } from '../verify/report.ts';
import { maxTrustedKeyBytes } from '../verify/trusted-key.ts';
import { verifyProof } from '../verify/verify-proof.ts';
import { openOriginal, readBounded } from './read-inputs.ts';

type Streams = { stdin: AsyncIterable<Uint8Array>; stderr: { write(text: string): unknown; isTTY?: boolean } };

export type VerifiedFiles = {
  report: VerificationReport;
  /** As they were judged: at most one byte more than is allowed. */
  archive: Uint8Array | Unreadable;
  trustedKey?: Uint8Array | Unreadable;
};

/** Throws UsageError when the options for asking online cannot be used. */
export async function verifyFiles(options: VerificationOptions, { stdin, stderr }: Streams): Promise<VerifiedFiles> {
  const live = await openLiveEvidence(options.online);
  const original = openOriginal(options.file, stdin);
  const inputs = {
    archive: await readBounded(options.proof, maxArchiveBytes),
    ...(options.trustedKey === undefined
      ? {}
      : { trustedKey: await readBounded(options.trustedKey, maxTrustedKeyBytes) }),
  };
  const request = {
    ...inputs,
    original: withProgress(original.stream, original.size, stderr),
    maxOriginalBytes: options.maxFileBytes,
    ...(live === undefined ? {} : { live }),
  };
  return { ...inputs, report: await verifyProof(request, original.platform) };
}

async function openLiveEvidence(online: VerificationOptions['online']) {
  if (online === undefined) return undefined;
  const { openOnlineEvidence } = await import('../online/online-evidence.ts');
  return openOnlineEvidence(online);
}
