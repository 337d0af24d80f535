// Summary of a verification report.
import { toDigest } from '@recordproof/shared/evidence/digest.ts';
import { type Answers, type CaseFile, valueIn } from './case-file.ts';
import { computeMerkleRoot } from './checks/merkle.ts';
import { findSigningKey } from './checks/signature.ts';
import type { ReportSummary } from './report.ts';

/** Claims of the archive with the computed and queried values; unknown ones are undefined. */
export function summarize(file: CaseFile, answers: Answers): ReportSummary {
  const [manifest, chunks, merkle] = [valueIn(file.manifest), valueIn(file.chunks), valueIn(file.merkle)];
  const [receipt, content] = [valueIn(file.receipt), valueIn(file.content)];
  const signing = findSigningKey(file, answers);
  return {
    proofId: manifest?.proofId,
    fileId: manifest?.fileId,
    fileVersion: manifest?.fileVersion,
    leafId: manifest?.leafId,
    batchNo: manifest?.batchNo,
    issuedAt: manifest?.issuedAt,
    recordedAt: findRecordedAt(answers),
    issuedStatus: manifest?.issuedStatus,
    statusAsOf: answers.life.kind === 'found' ? answers.life.value.recordedUntil : undefined,
    currentStatus: answers.status.kind === 'found' ? answers.status.value.status : undefined,
    keyId: manifest?.signature.keyId,
    keyVersion: manifest?.signature.keyVersion,
    keyFingerprint: signing?.key.publicKeyFingerprint ?? manifest?.signature.publicKeyFingerprint,
    keySource: signing?.source ?? 'NONE',
    contentHash: chunks?.contentHash,
    computedContentHash: content === undefined ? undefined : toDigest(content.contentHash),
    merkleRoot: merkle?.merkleRoot,
    computedMerkleRoot: merkle === undefined ? undefined : computeMerkleRoot(merkle),
    chainType: receipt?.contract.chainType,
    chainId: receipt?.contract.chainId,
    groupId: receipt?.contract.groupId,
    contractAddress: receipt?.contract.contractAddress,
    batchTransactionHash: receipt?.batchTransactionHash,
    liveBlockNumber: answers.root.kind === 'found' ? answers.root.value.blockNumber : undefined,
  };
}

const findRecordedAt = ({ record }: Answers): string | undefined =>
  record.kind === 'found' && record.value.kind === 'recorded' ? record.value.recordedAt : undefined;
