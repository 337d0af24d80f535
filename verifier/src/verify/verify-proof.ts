// A complete verification: read, judge and, only while nothing speaks against the proof, query. Every check is always
// reported, in a fixed order; the outcome is the worst of them. Pure: uses only the clock, files and connections passed
// by the caller.
import { verifierVersion } from '../version.ts';
import { askKey, askOutside, noOutsideAnswers } from './ask-outside.ts';
import type { Answers, CaseFile, Check, VerificationRequest } from './case-file.ts';
import { type CheckId, statusOf } from './check-codes.ts';
import { archiveStructure, jsonEntries } from './checks/archive.ts';
import { chainLiveRoot, chainReceipt } from './checks/chain.ts';
import { chunksContract } from './checks/chunks.ts';
import { contentChunkHashes, contentFileHash, contentOriginal, contentSize } from './checks/content.ts';
import { manifestContract, manifestEntryDigests } from './checks/manifest.ts';
import { merklePath } from './checks/merkle.ts';
import { policyContract, policyReadme } from './checks/policy.ts';
import { signatureJws, signatureKey } from './checks/signature.ts';
import { statusCurrent } from './checks/status.ts';
import { broken, readCase } from './read-case.ts';
import { type CheckResult, decideOutcome, decidingChecks, reportSchema, type VerificationReport } from './report.ts';
import { summarize } from './summary.ts';
import type { VerifierPlatform } from './verifier-platform.ts';

/** Need only the archive and the original. */
const localChecks = [
  archiveStructure,
  ...jsonEntries,
  manifestContract,
  manifestEntryDigests,
  policyContract,
  policyReadme,
  chunksContract,
  contentOriginal,
  contentSize,
  contentFileHash,
  contentChunkHashes,
  merklePath,
  chainReceipt,
] as const;
const signatureChecks = [signatureKey, signatureJws] as const;
const outsideChecks = [statusCurrent, chainLiveRoot] as const;

/** Never rejects because of the content of the archive, the original or an answer. */
export const verifyProof = async (
  request: VerificationRequest,
  platform: VerifierPlatform,
): Promise<VerificationReport> => (await verifyCase(request, platform)).report;

/** Everything read and judged without queries. */
export type LocalCase = Awaited<ReturnType<typeof judgeLocally>>;

/** The same, with the results that further checks of the same files can reuse. */
export async function verifyCase(
  request: VerificationRequest,
  platform: VerifierPlatform,
): Promise<{ report: VerificationReport; local: LocalCase }> {
  const local = await judgeLocally(request, platform);
  return { report: await judgeOutside(request, local, platform), local };
}

async function judgeOutside(
  request: VerificationRequest,
  { file, checks: local }: LocalCase,
  platform: VerifierPlatform,
): Promise<VerificationReport> {
  const key = await askKey(request, file, isSound(local));
  const signed = await judgeAll(signatureChecks, file, { ...noOutsideAnswers, key });
  const answers: Answers = { key, ...(await askOutside(request.live, file, isSound([...local, ...signed]))) };
  const checks = [...local, ...signed, ...(await judgeAll(outsideChecks, file, answers))];
  const outcome = decideOutcome(checks);
  return {
    schemaVersion: reportSchema,
    outcome,
    reason: decidingChecks({ outcome, checks })[0]?.code,
    verifiedAt: platform.now().toISOString(),
    verifierVersion,
    summary: summarize(file, answers),
    checks,
  };
}

/** Whether archive and original are consistent; independent of the signer. */
export async function judgeLocally(request: VerificationRequest, platform: VerifierPlatform) {
  const file = await readCase(request, platform);
  return { file, checks: await judgeAll(localChecks, file, noOutsideAnswers) };
}

async function judgeAll(checks: readonly Check<CheckId>[], file: CaseFile, answers: Answers): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) results.push(await judge(check, file, answers));
  return results;
}

async function judge(check: Check<CheckId>, file: CaseFile, answers: Answers): Promise<CheckResult> {
  const { id } = check;
  const finding = await Promise.try(() => check.judge(file, answers)).catch(() => broken);
  const [area = ''] = id.split('.');
  return { id, category: area.toUpperCase(), status: statusOf(id, finding.code), ...finding };
}

/** Nothing found so far speaks against the proof, which is the condition for external queries. */
const isSound = (results: readonly CheckResult[]): boolean =>
  results.every(({ status }) => status === 'PASS' || status === 'INDETERMINATE');
