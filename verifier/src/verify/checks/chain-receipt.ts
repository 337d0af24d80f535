// The check `chain.receipt`.
import { ledgerIdentity, localLedger } from '@recordproof/shared/evidence/chain-identity.ts';
import {
  type MerkleProof,
  type ProofChunks,
  type ProofManifest,
  type Receipt,
  receiptSchema,
} from '@recordproof/shared/evidence/proof-entries.ts';
import { parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { type Check, valueIn } from '../case-file.ts';
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
    const wrong = wrongField(receipt, { manifest, chunks, merkle });
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

function wrongField(receipt: Receipt, { manifest, chunks, merkle }: Others): string | undefined {
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
