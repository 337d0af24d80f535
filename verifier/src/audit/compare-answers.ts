// Comparison of the server's answers on batches, proofs and keys with its ledger entries. It reveals an operator whose
// answers differ from the ledger.
import { ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { clockSkewMs } from '@recordproof/shared/evidence/ledger-entry.ts';
import { LogUnavailable } from '@recordproof/shared/evidence/log-over-http.ts';
import type { ReadTile } from '@recordproof/shared/evidence/log-reader.ts';
import { parseKeyAnswer, parseRootAnswer, parseStatusAnswer } from '../verify/live-evidence.ts';
import type { AuditCode, Findings } from './audit-report.ts';
import type { SeenBatch } from './judge-entries.ts';
import type { SeenKey, SeenProof } from './judge-proofs.ts';

type ServerAnswer = {
  readonly publicKey: Uint8Array;
  readonly batches: readonly SeenBatch[];
  /** By id, as known to the caller: entries contain only digests of ids. */
  readonly proofs: ReadonlyMap<string, SeenProof>;
  readonly keys: readonly SeenKey[];
};

/** The comparison of an answer with the entry: equal, contradicted, or newer than the checkpoint. */
type Verdict = 'SAME' | 'DIFFERENT' | 'NEWER';
type Question = {
  readonly path: string;
  readonly subject: string;
  readonly position: number;
  readonly judge: (answer: Uint8Array) => Verdict;
};

/** Returns how many were compared. */
export async function compareAnswers(
  readAnswer: ReadTile,
  expected: ServerAnswer,
  findings: Findings,
): Promise<number> {
  let compared = 0;
  for (const question of listQuestions(expected)) {
    const answer = await ask(readAnswer, question.path);
    const { subject, position } = question;
    const add = (code: AuditCode, facts = {}) => findings.add(code, { subject, position, ...facts }, [position]);
    if (answer === undefined) {
      add('ANSWER_WITHHELD');
      continue;
    }
    compared++;
    const verdict = judgeSafely(question, answer);
    if (verdict === 'DIFFERENT') add('ANSWER_MISMATCH', { answer: parseLossy(answer) });
    if (verdict === 'NEWER') add('ANSWER_NEWER');
  }
  return compared;
}

function* listQuestions({ publicKey, batches, proofs, keys }: ServerAnswer): Generator<Question> {
  const { chainType, chainId, groupId, contractAddress } = ledgerIdentity(publicKey);
  for (const batch of batches) {
    const path = `chain-roots/${chainType}/${chainId}/${groupId}/${contractAddress}/${batch.batchNo}`;
    yield { path, subject: batch.batchNo, position: batch.position, judge: answer => judgeRoot(answer, batch) };
  }
  for (const [proofId, proof] of proofs) {
    const path = `proofs/${proofId}/status`;
    const judge = (answer: Uint8Array) => judgeStatus(answer, proofId, proof);
    yield { path, subject: proofId, position: proof.position, judge };
  }
  for (const key of keys) {
    const path = `proof-keys/${key.keyId}/versions/${key.keyVersion}`;
    const subject = `${key.keyId}/${key.keyVersion}`;
    yield { path, subject, position: key.position, judge: answer => judgeKey(answer, key) };
  }
}

async function ask(readAnswer: ReadTile, path: string): Promise<Uint8Array | undefined> {
  try {
    return await readAnswer(path);
  } catch (problem) {
    if (problem instanceof LogUnavailable) return undefined;
    throw problem;
  }
}

/** An answer that cannot be parsed counts as different. */
function judgeSafely({ judge }: Question, answer: Uint8Array): Verdict {
  try {
    return judge(answer);
  } catch {
    return 'DIFFERENT';
  }
}

function judgeRoot(bytes: Uint8Array, batch: SeenBatch): Verdict {
  const { batchNo, merkleRoot, transactionHash, blockNumber } = parseRootAnswer(bytes);
  const isSame =
    batchNo === batch.batchNo &&
    merkleRoot === batch.merkleRoot &&
    blockNumber === batch.position &&
    (transactionHash ?? batch.transactionHash) === batch.transactionHash;
  return isSame ? 'SAME' : 'DIFFERENT';
}

function judgeStatus(bytes: Uint8Array, proofId: string, proof: SeenProof): Verdict {
  const { status, about } = parseStatusAnswer(bytes);
  if (about === undefined) return status === proof.status ? 'SAME' : 'DIFFERENT';
  const { manifestSha256 } = about;
  if (about.proofId !== proofId) return 'DIFFERENT';
  if (proof.manifestSha256 !== undefined && manifestSha256 && manifestSha256 !== proof.manifestSha256)
    return 'DIFFERENT';
  // Recorded since the checkpoint was signed, or not recorded at all: the next audit will show which.
  if (about.statusVersion > proof.statusVersion) return 'NEWER';
  return about.statusVersion === proof.statusVersion && status === proof.status ? 'SAME' : 'DIFFERENT';
}

function judgeKey(bytes: Uint8Array, { publicKeyFingerprint, retiredAt }: SeenKey): Verdict {
  const key = parseKeyAnswer(bytes);
  if (key.publicKeyFingerprint !== publicKeyFingerprint) return 'DIFFERENT';
  if (key.used === undefined) return 'SAME';
  const { until } = key.used;
  if (retiredAt === undefined) return until === null ? 'SAME' : 'NEWER';
  return until !== null && until <= Date.parse(retiredAt) + clockSkewMs ? 'SAME' : 'DIFFERENT';
}

const mostShown = 2000;

function parseLossy(bytes: Uint8Array): string {
  try {
    return parseUtf8(bytes).slice(0, mostShown);
  } catch {
    return '';
  }
}
