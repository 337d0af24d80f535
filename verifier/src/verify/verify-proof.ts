// Owns the ordered list of checks and the report over them. Every check is always reported; the outcome is the worst
// of them. Pure: no clock, file or connection but those that the caller hands in.
import { verifierVersion } from '../version.ts';
import type { CaseFile, Check, VerificationRequest } from './case-file.ts';
import { archiveStructure } from './checks/archive-structure.ts';
import { chainLiveRoot } from './checks/chain-live-root.ts';
import { chainReceipt } from './checks/chain-receipt.ts';
import { chunksContract } from './checks/chunks-contract.ts';
import { contentChunkHashes } from './checks/content-chunk-hashes.ts';
import { contentFileHash } from './checks/content-file-hash.ts';
import { contentOriginal } from './checks/content-original.ts';
import { contentSize } from './checks/content-size.ts';
import { jsonEntries } from './checks/json-entries.ts';
import { manifestContract } from './checks/manifest-contract.ts';
import { manifestEntryDigests } from './checks/manifest-entry-digests.ts';
import { merklePath } from './checks/merkle-path.ts';
import { policyContract } from './checks/policy-contract.ts';
import { policyReadme } from './checks/policy-readme.ts';
import { signatureJws } from './checks/signature-jws.ts';
import { signatureKey } from './checks/signature-key.ts';
import { statusCurrent } from './checks/status-current.ts';
import type { VerifierPlatform } from './platform.ts';
import { error, outcomeOf, reportSchema, type VerificationReport } from './report.ts';
import { summarize } from './summary.ts';

export const checks: readonly Check[] = [
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
  signatureKey,
  signatureJws,
  statusCurrent,
  chainLiveRoot,
];

/** Never rejects for anything that the archive, the original or an answer contains. */
export async function verifyProof(
  request: VerificationRequest,
  platform: VerifierPlatform,
): Promise<VerificationReport> {
  const file: CaseFile = { request, platform, results: [], keySource: 'NONE' };
  for (const check of checks) {
    const finding = await runCheck(check, file);
    file.results.push({ id: check.id, category: check.category, ...finding });
  }
  return {
    schemaVersion: reportSchema,
    outcome: outcomeOf(file.results),
    verifiedAt: platform.now().toISOString(),
    verifierVersion,
    summary: summarize(file),
    checks: file.results,
  };
}

async function runCheck(check: Check, file: CaseFile) {
  try {
    return await check.run(file);
  } catch {
    return error('CHECK_FAILED', 'This check could not be finished safely.');
  }
}
