// The facts of a report, in display order; unknown ones are left out.
import { type Language, words } from '@recordproof/shared/words/words.ts';
import type { ReportSummary, VerificationReport } from '../verify/report.ts';

const names = words(
  {
    proof: 'Proof',
    issued: 'Issued',
    recordedAt: 'On the ledger',
    recordedAtText: (at: string) => `${at}, by the clock of the operator`,
    statusNow: 'Status now',
    statusAsOf: (status: string, at: string) => `${status}, by a ledger that ends at ${at}`,
    unknown: 'not known',
    file: 'File',
    record: (id: string, version: number | undefined) => `record ${id}, version ${version}`,
    recorded: 'Recorded SHA-256',
    yours: 'Your file',
    batch: 'Batch',
    recordedRoot: 'Recorded root',
    computedRoot: 'Computed root',
    chain: 'Chain',
    contract: 'Contract',
    transaction: 'Transaction',
    key: 'Signing key',
    keyText: (id: string, version: number | undefined) => `${id}, version ${version}`,
    fingerprint: 'Key fingerprint',
    keyFrom: 'Key taken from',
    checked: 'Checked',
    checkedText: (at: string, version: string) => `${at} by recordproof-verify ${version}`,
    sources: {
      TRUSTED_FILE: 'the trusted key that you gave or pinned',
      ISSUER: 'the issuer, asked online',
      NONE: 'none: the signature has not been confirmed',
    } satisfies Record<ReportSummary['keySource'], string>,
  },
  {
    proof: '证明',
    issued: '签发时间',
    recordedAt: '账本记录时间',
    recordedAtText: at => `${at}（以运营方的时钟为准）`,
    statusNow: '当前状态',
    statusAsOf: (status, at) => `${status}（依据截至 ${at} 的账本）`,
    unknown: '未知',
    file: '文件',
    record: (id, version) => `记录 ${id}，版本 ${version}`,
    recorded: '登记的 SHA-256',
    yours: '您的文件',
    batch: '批次',
    recordedRoot: '登记的根',
    computedRoot: '计算出的根',
    chain: '链',
    contract: '合约',
    transaction: '交易',
    key: '签名密钥',
    keyText: (id, version) => `${id}，版本 ${version}`,
    fingerprint: '密钥指纹',
    keyFrom: '密钥来源',
    checked: '核验时间',
    checkedText: (at, version) => `${at}，recordproof-verify ${version}`,
    sources: {
      TRUSTED_FILE: '您提供或固定的可信公钥',
      ISSUER: '联网询问签发方',
      NONE: '无：签名尚未得到确认',
    },
  },
);

function toStatusText(
  { proofId, currentStatus, statusAsOf }: ReportSummary,
  texts: (typeof names)[Language],
): string | undefined {
  if (currentStatus === undefined) return proofId === undefined ? undefined : texts.unknown;
  return statusAsOf === undefined ? currentStatus : texts.statusAsOf(currentStatus, statusAsOf);
}

export function listFacts(
  { summary, verifiedAt, verifierVersion }: VerificationReport,
  language: Language = 'en',
): [name: string, value: string][] {
  const texts = names[language];
  const { proofId, fileId, keyId, chainType } = summary;
  const facts: [string, string | undefined][] = [
    [texts.proof, proofId],
    [texts.issued, summary.issuedAt],
    [texts.recordedAt, summary.recordedAt === undefined ? undefined : texts.recordedAtText(summary.recordedAt)],
    [texts.statusNow, toStatusText(summary, texts)],
    [texts.file, fileId === undefined ? undefined : texts.record(fileId, summary.fileVersion)],
    [texts.recorded, summary.contentHash],
    [texts.yours, summary.computedContentHash],
    [texts.batch, summary.batchNo],
    [texts.recordedRoot, summary.merkleRoot],
    [texts.computedRoot, summary.computedMerkleRoot],
    [texts.chain, chainType === undefined ? undefined : `${chainType} ${summary.chainId}`],
    [texts.contract, summary.contractAddress],
    [texts.transaction, summary.batchTransactionHash],
    [texts.key, keyId === undefined ? undefined : texts.keyText(keyId, summary.keyVersion)],
    [texts.fingerprint, summary.keyFingerprint],
    [texts.keyFrom, texts.sources[summary.keySource]],
    [texts.checked, texts.checkedText(verifiedAt, verifierVersion)],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== undefined);
}
