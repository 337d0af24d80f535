// Compares what a server answers about the roots of batches with the entries of its ledger.
import { ledgerIdentity } from '@recordproof/shared/evidence/chain-identity.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { LogUnavailable } from '@recordproof/shared/evidence/log-over-http.ts';
import type { ReadTile } from '@recordproof/shared/evidence/log-reader.ts';
import type { Findings } from './audit-report.ts';
import type { SeenBatch } from './judge-entries.ts';

/** How many were compared. */
export async function compareRoots(
  readAnswer: ReadTile,
  publicKey: Uint8Array,
  batches: readonly SeenBatch[],
  findings: Findings,
): Promise<number> {
  const { chainType, chainId, groupId, contractAddress } = ledgerIdentity(publicKey);
  let compared = 0;
  for (const batch of batches) {
    const path = `chain-roots/${chainType}/${chainId}/${groupId}/${contractAddress}/${batch.batchNo}`;
    const answer = await ask(readAnswer, path);
    if (answer === undefined) findings.add('ROOT_WITHHELD', { batchNo: batch.batchNo, position: batch.position });
    else compared++;
    if (answer !== undefined && !isSame(answer, batch))
      findings.add('ROOT_MISMATCH', { batchNo: batch.batchNo, position: batch.position, answer }, [batch.position]);
  }
  return compared;
}

async function ask(readAnswer: ReadTile, path: string): Promise<string | undefined> {
  try {
    return parseUtf8(await readAnswer(path));
  } catch (problem) {
    if (problem instanceof LogUnavailable || problem instanceof TypeError) return undefined;
    throw problem;
  }
}

function isSame(answer: string, batch: SeenBatch): boolean {
  try {
    const { merkleRoot, transactionHash, blockNumber } = JSON.parse(answer);
    return (
      merkleRoot === batch.merkleRoot && transactionHash === batch.transactionHash && blockNumber === batch.position
    );
  } catch {
    return false;
  }
}
