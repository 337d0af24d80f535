import { digestOf, toDigest } from '@recordproof/shared/evidence/digest.ts';
import { toSpki } from '@recordproof/shared/evidence/ed25519.ts';
import type { CaseFile } from './case-file.ts';
import type { ReportSummary } from './report.ts';

/** What the archive claims and what was computed or answered, side by side; absent where nothing is known. */
export function summarize(file: CaseFile): ReportSummary {
  const { manifest, chunks, merkle, receipt, content, key } = file;
  return compact({
    proofId: manifest?.proofId,
    fileId: manifest?.fileId,
    fileVersion: manifest?.fileVersion,
    leafId: manifest?.leafId,
    batchNo: manifest?.batchNo,
    issuedAt: manifest?.issuedAt,
    issuedStatus: manifest?.issuedStatus,
    currentStatus: file.currentStatus?.status,
    keyId: manifest?.signature.keyId,
    keyVersion: manifest?.signature.keyVersion,
    keyFingerprint: key === undefined ? manifest?.signature.publicKeyFingerprint : digestOf(toSpki(key.publicKey)),
    keySource: file.keySource,
    contentHash: chunks?.contentHash,
    computedContentHash: content === undefined ? undefined : toDigest(content.contentHash),
    merkleRoot: merkle?.merkleRoot,
    computedMerkleRoot: file.computedMerkleRoot,
    chainType: receipt?.contract.chainType,
    chainId: receipt?.contract.chainId,
    groupId: receipt?.contract.groupId,
    contractAddress: receipt?.contract.contractAddress,
    batchTransactionHash: receipt?.batchTransactionHash,
    liveBlockNumber: file.liveRoot?.blockNumber,
  });
}

type Optional = { [K in keyof ReportSummary]: ReportSummary[K] | undefined } & Pick<ReportSummary, 'keySource'>;

const compact = (summary: Optional): ReportSummary =>
  Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== undefined)) as ReportSummary;
