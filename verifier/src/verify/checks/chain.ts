// The checks `chain.receipt` and `chain.live-root`: the root of the batch, as the archive and as the chain states it.
import { ledgerIdentity, localLedger } from '@recordproof/shared/evidence/chain-identity.ts';
import { clockSkewMs } from '@recordproof/shared/evidence/ledger-entry.ts';
import {
  type MerkleProof,
  type ProofChunks,
  type ProofManifest,
  type Receipt,
  receiptSchema,
} from '@recordproof/shared/evidence/proof-entries.ts';
import { parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { type Check, type Judged, type QueryResult, valueIn } from '../case-file.ts';
import { toLookupCode } from '../check-codes.ts';
import type { LedgerRecord } from '../ledger-records.ts';
import type { ChainRoot } from '../live-evidence.ts';
import { found, notRun, pass } from '../report.ts';

/** The receipt names the same record, batch and root as the rest of the archive. */
export const chainReceipt: Check<'chain.receipt'> = {
  id: 'chain.receipt',
  judge(file) {
    const [receipt, manifest] = [valueIn(file.receipt), valueIn(file.manifest)];
    const [chunks, merkle] = [valueIn(file.chunks), valueIn(file.merkle)];
    if (receipt === undefined) return notRun('json.blockchain-receipt.json');
    if (manifest === undefined) return notRun('json.manifest.json');
    if (chunks === undefined) return notRun('json.chunk-manifest.json');
    if (merkle === undefined) return notRun('json.merkle-proof.json');
    const wrong = findWrongMember(receipt, { manifest, chunks, merkle });
    if (wrong !== undefined) return found('RECEIPT_MISMATCH', `blockchain-receipt.json: ${wrong} is not as required.`);
    const { chainType, chainId } = receipt.contract;
    return pass('The receipt belongs to this batch and root.', {
      chainType,
      chainId,
      blockNumber: receipt.blockNumber,
    });
  },
};

type Others = { manifest: ProofManifest; chunks: ProofChunks; merkle: MerkleProof };

function findWrongMember(receipt: Receipt, { manifest, chunks, merkle }: Others): string | undefined {
  if (receipt.schemaVersion !== receiptSchema) return 'schemaVersion';
  if (receipt.chainRecordId !== chunks.chainRecordId) return 'chainRecordId';
  if (receipt.batchNo !== manifest.batchNo) return 'batchNo';
  if (receipt.batchChainRoot !== merkle.merkleRoot) return 'batchChainRoot';
  return isOwnIdentity(receipt.contract) ? undefined : 'contract';
}

/** A ledger that states its key must have the identity derived from it. */
function isOwnIdentity(contract: Receipt['contract']): boolean {
  if (contract.ledgerKey === undefined) return true;
  try {
    const identity = ledgerIdentity(parseVerifierKey(contract.ledgerKey).publicKey);
    return (
      contract.chainType === localLedger &&
      contract.chainId === identity.chainId &&
      contract.groupId === identity.groupId &&
      contract.contractAddress === identity.contractAddress
    );
  } catch {
    return false;
  }
}

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
    const wrong = findDifference(live, receipt);
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
): Judged<'chain.live-root'> {
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

function findDifference(live: ChainRoot, receipt: Receipt): string | undefined {
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
