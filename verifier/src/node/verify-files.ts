// A verification of files on this machine. It connects only if the options request it, and loads the online code only
// then.
import { maxEvidenceBytes } from '@recordproof/shared/evidence/evidence-archive.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import type { VerificationOptions } from '../options.ts';
import { oneLine, type Terminal } from '../shell/terminal.ts';
import type { Unreadable } from '../verify/case-file.ts';
import type { VerificationReport } from '../verify/report.ts';
import { maxTrustedKeyBytes } from '../verify/trusted-key.ts';
import { type LocalCase, verifyCase } from '../verify/verify-proof.ts';
import { describeAbsent, listAbsent, openOriginal, readBounded, withProgress } from './read-inputs.ts';

type Streams = Pick<Terminal, 'stdin' | 'stderr'>;

export type VerifiedFiles = {
  report: VerificationReport;
  /** As judged: at most one byte more than allowed. */
  archive: Uint8Array | Unreadable;
  trustedKey?: Uint8Array | Unreadable | undefined;
};

/** Throws UsageError if the online options are unusable. */
export async function verifyFiles(
  options: VerificationOptions,
  { stdin, stderr }: Streams,
): Promise<VerifiedFiles & { local: LocalCase }> {
  const live = await openLiveEvidence(options.online, stderr);
  nameMissing(options, stderr);
  const original = openOriginal(options.file, stdin);
  const inputs = {
    archive: await readBounded(options.proof, maxEvidenceBytes),
    trustedKey: await readTrustedKey(options),
  };
  const request = {
    ...inputs,
    original: withProgress(original.stream, original.size, stderr),
    maxOriginalBytes: options.maxFileBytes,
    requireTrustedKey: options.requireTrustedKey ?? false,
    live,
  };
  return { ...inputs, ...(await verifyCase(request, original.platform)) };
}

const readTrustedKey = async ({ trustedKey, trustedKeyBytes }: VerificationOptions) =>
  trustedKey === undefined ? trustedKeyBytes : await readBounded(trustedKey, maxTrustedKeyBytes);

function nameMissing({ file, proof, isBeside, trustedKey }: VerificationOptions, stderr: Streams['stderr']): void {
  if (isBeside === true && listAbsent([proof]).length > 0)
    throw new UsageError(
      listAbsent([file]).length > 0
        ? `there is no file ${oneLine(file)}`
        : `there is no ${oneLine(proof)} to be found; name the archive with --proof`,
    );
  describeAbsent([file, proof, trustedKey], stderr);
}

async function openLiveEvidence(online: VerificationOptions['online'], stderr: Streams['stderr']) {
  if (online === undefined) return undefined;
  const { openOnlineEvidence } = await import('../online/online-evidence.ts');
  const onWait = (host: string, seconds: number): void => {
    const until = new Date(Date.now() + seconds * 1000).toTimeString().slice(0, 8);
    stderr.write(`waiting for ${host}, which allows no more at the moment, until ${until}\n`);
  };
  return openOnlineEvidence(online, { onWait });
}
