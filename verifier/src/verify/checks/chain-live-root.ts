// The check `chain.live-root`.
import { clockSkewMs } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { ProofManifest, Receipt } from '@recordproof/shared/evidence/proof-entries.ts';
import { type Check, type QueryResult, valueIn } from '../case-file.ts';
import { type CodeOf, type CommonCode, toLookupCode } from '../check-codes.ts';
import type { LedgerRecord } from '../ledger-entry.ts';
import type { ChainRoot } from '../live-evidence.ts';
import { type Finding, found, notRun, pass } from '../report.ts';

/** The chain, queried now, has the same root at the same position. */
export const chainLiveRoot: Check<'chain.live-root'> = {
  id: 'chain.live-root',
  judge(file, { root: answer, record }) {
    if (answer.kind === 'offline') return found('OFFLINE', 'The chain was not asked for the batch root.');
    if (answer.kind === 'held-back') return notRun(answer.waitsFor);
    if (answer.kind !== 'found') return found(toLookupCode('CHAIN', answer), 'The chain did not tell the batch root.');
    const receipt = valueIn(file.receipt);
    if (receipt === undefined) return notRun('json.blockchain-receipt.json');
    const live = answer.value;
    const wrong = wrongField(live, receipt);
    if (wrong !== undefined)
      return found('CHAIN_ROOT_MISMATCH', `What the chain shows differs from the signed receipt in ${wrong}.`, {
        expectedRoot: receipt.batchChainRoot,
        liveRoot: live.merkleRoot,
      });
    return judgeRecord(record, valueIn(file.manifest), { merkleRoot: live.merkleRoot, blockNumber: live.blockNumber });
  },
};

/** The entry of the batch in the signed ledger, if a ledger was named: proofs are issued only after it is recorded. */
function judgeRecord(
  answer: QueryResult<LedgerRecord>,
  manifest: ProofManifest | undefined,
  evidence: { merkleRoot: string; blockNumber: number },
): Finding<CodeOf<'chain.live-root'> | CommonCode> {
  if (answer.kind === 'offline')
    return pass('The chain shows the batch root of this proof; when it was recorded there was not read.', evidence);
  if (answer.kind === 'held-back') return notRun(answer.waitsFor);
  if (answer.kind !== 'found')
    return found(
      toLookupCode('LEDGER', answer),
      'The ledger did not show the entry of the batch under its checkpoint.',
    );
  if (manifest === undefined) return notRun('json.manifest.json');
  const record = answer.value;
  if (record.kind === 'contradicted')
    return found('CHAIN_ENTRY_MISMATCH', 'The signed ledger does not hold this batch where the receipt says.', {
      ledgerSize: record.ledgerSize,
    });
  const { recordedAt, ledgerSize } = record;
  const times = { recordedAt, issuedAt: manifest.issuedAt, ledgerSize };
  if (Date.parse(manifest.issuedAt) < Date.parse(recordedAt) - clockSkewMs)
    return found('CHAIN_TIME_MISMATCH', 'The proof is dated before the ledger recorded its batch.', times);
  if (!record.isInOrder)
    return found(
      'CHAIN_TIME_DISORDER',
      'The times of the ledger around this batch contradict each other, so they show no date.',
      times,
    );
  return pass(`The ledger recorded the batch at ${recordedAt}, by the clock of its operator.`, {
    ...evidence,
    ...times,
  });
}

function wrongField(live: ChainRoot, receipt: Receipt): string | undefined {
  const { contract } = receipt;
  if (live.chainType !== contract.chainType) return 'chainType';
  if (live.chainId !== contract.chainId) return 'chainId';
  if (live.groupId !== contract.groupId) return 'groupId';
  if (live.contractAddress !== contract.contractAddress) return 'contractAddress';
  if (live.batchNo !== receipt.batchNo) return 'batchNo';
  if (live.merkleRoot !== receipt.batchChainRoot) return 'merkleRoot';
  if ((live.transactionHash ?? undefined) !== receipt.batchTransactionHash) return 'transactionHash';
  return live.blockNumber === receipt.blockNumber ? undefined : 'blockNumber';
}
