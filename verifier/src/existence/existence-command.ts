// The command `recordproof-verify existence`: reads what lies beside the file and what the caller trusts, and reports.
import { existsSync } from 'node:fs';
import {
  type Evidence,
  isEvidenceArchive,
  maxEvidenceBytes,
  readEvidenceArchive,
} from '@recordproof/shared/evidence/evidence-archive.ts';
import { maxOtsBytes } from '@recordproof/shared/evidence/ots.ts';
import { maxStampBytes } from '@recordproof/shared/evidence/rfc3161.ts';
import { verifyMlDsa44 } from '@recordproof/shared/node/ml-dsa.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { openOriginal, readBounded, tellAbsent } from '../node/read-inputs.ts';
import { archiveBeside } from '../options.ts';
import { withProgress } from '../report/progress.ts';
import type { Command } from '../shell/run-command.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ExistenceInput } from './existence-input.ts';
import { type ExistenceOptions, existenceHelp, parseExistenceOptions } from './existence-options.ts';
import type { ExistenceOutcome } from './existence-report.ts';
import { toExistenceText } from './existence-text.ts';
import { judgeExistence } from './judge-existence.ts';

const exitCodes: Readonly<Record<ExistenceOutcome, number>> = { EXISTED: 0, CONTRADICTED: 2, NOT_SHOWN: 3, ERROR: 4 };

/** One byte more than a reader accepts is enough to be rejected. */
const limits = { proof: 1024 * 1024, policy: 1024 * 1024, roots: 4 * 1024 * 1024, headers: 256 * 1024 * 1024 };

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseExistenceOptions(args);
  const { stdin, stdout, stderr } = terminal;
  tellAbsent([options.file, options.proof, options.policy, options.roots, options.headers], stderr);
  const original = openOriginal(options.file, stdin);
  const input: ExistenceInput = {
    original: withProgress(original.stream, original.size, stderr),
    maxOriginalBytes: options.maxFileBytes,
    ...(await readEvidence(options)),
    policy: await readNamed(options.policy, limits.policy),
    roots: await readNamed(options.roots, limits.roots),
    headers: await readNamed(options.headers, limits.headers),
    required: options.required,
  };
  const { verifyEd25519 } = original.platform;
  const noteVerifiers = { ed25519: verifyEd25519, mlDsa44: verifyMlDsa44 };
  const report = await judgeExistence(input, { ...original.platform, noteVerifiers, verifySignature });
  stdout.write(options.format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : toExistenceText(report));
  return exitCodes[report.outcome];
}

const readNamed = async (path: string | undefined, maxBytes: number) =>
  path === undefined ? undefined : await readBounded(path, maxBytes);

const readBeside = async (path: string, maxBytes: number) =>
  existsSync(path) ? await readBounded(path, maxBytes) : undefined;

type Files = Pick<ExistenceInput, 'archive' | 'tlogProof' | 'stamp' | 'ots' | 'isEvidenceDamaged'>;

/** A file of its own comes before the same in the evidence archive. */
async function readEvidence({ file, proof }: ExistenceOptions): Promise<Files> {
  const named = await readNamed(proof, maxEvidenceBytes);
  const packed = unpack(
    named ?? (file === '-' ? undefined : await readBeside(`${file}.evidence.zip`, maxEvidenceBytes)),
  );
  if (file === '-') return packed;
  const loose = {
    archive: named === undefined ? await readBeside(archiveBeside(file), maxEvidenceBytes) : undefined,
    tlogProof: await readBeside(`${file}.tlog-proof`, limits.proof),
    stamp: await readBeside(`${file}.tsr`, maxStampBytes),
    ots: await readBeside(`${file}.ots`, maxOtsBytes),
  };
  return {
    ...packed,
    archive: loose.archive ?? packed.archive,
    tlogProof: loose.tlogProof ?? packed.tlogProof,
    stamp: loose.stamp ?? packed.stamp,
    ots: loose.ots ?? packed.ots,
  };
}

function unpack(bytes: Evidence['archive'] | 'UNREADABLE' | undefined): Files {
  if (bytes === undefined || bytes === 'UNREADABLE' || !isEvidenceArchive(bytes)) return { archive: bytes };
  try {
    return readEvidenceArchive(bytes);
  } catch {
    return { isEvidenceDamaged: true };
  }
}

export const existenceCommand: Command = { name: 'existence', help: existenceHelp, run };
