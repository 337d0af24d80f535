// Verification of a drop-link receipt (docs/spec/drop-receipt.md): every check runs and is reported. A signature counts
// only under a key supplied by the caller. Makes no connection.
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { toDigest, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  type DropStatement,
  digestFields,
  digestStatement,
  type ReadDropReceipt,
  readDropReceipt,
  type SenderFields,
} from '@recordproof/shared/evidence/drop-receipt.ts';
import { parseLedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { parseVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import { isProofOf, parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import type { Unreadable } from '../verify/case-file.ts';
import {
  broken,
  checkSignature,
  type DocumentCheck,
  type DocumentReport,
  fail,
  open,
  pass,
  toReport,
  tryTo,
} from '../verify/document-checks.ts';
import { hashContent } from '../verify/hash-content.ts';
import type { VerifierPlatform } from '../verify/verifier-platform.ts';

type CheckId = 'receipt.readable' | 'receipt.signature' | 'receipt.fields' | 'file.content' | 'ledger.entry';

type ReceiptCheck = DocumentCheck<CheckId>;

export type ReceiptReport = DocumentReport<CheckId> & {
  /** Trustworthy only if the outcome is VALID. */
  readonly statement?: DropStatement;
  readonly senderFields?: SenderFields;
};

type ReceiptInputs = {
  readonly receipt: Uint8Array | Unreadable;
  readonly trustedKey?: Uint8Array | Unreadable | undefined;
  readonly original?: AsyncIterable<Uint8Array> | undefined;
  /** The C2SP verifier key of the ledger. */
  readonly ledgerKey?: string | undefined;
};

export async function checkReceipt(inputs: ReceiptInputs, platform: VerifierPlatform): Promise<ReceiptReport> {
  if (!(inputs.receipt instanceof Uint8Array))
    return toReport([broken('receipt.readable', 'RECEIPT_UNREADABLE', 'the receipt cannot be read')]);
  const read = tryTo(() => readDropReceipt(inputs.receipt as Uint8Array));
  if (read instanceof Error)
    return toReport([fail('receipt.readable', 'RECEIPT_MALFORMED', `not a receipt of a drop link: ${read.message}`)]);
  const checks = [
    pass('receipt.readable', 'is written as a receipt is'),
    await checkSigner(read, inputs.trustedKey, platform),
    checkFields(read),
    await checkContent(read, inputs.original, platform),
    ...(await checkLedger(read, inputs.ledgerKey, platform)),
  ];
  return { ...toReport(checks), statement: read.statement, senderFields: read.receipt.senderFields };
}

const checkSigner = (
  { jws, statement: { receivedAt, signature } }: ReadDropReceipt,
  trustedKey: ReceiptInputs['trustedKey'],
  platform: VerifierPlatform,
): Promise<ReceiptCheck> =>
  checkSignature('receipt.signature', { jws, datedAt: receivedAt, signature }, trustedKey, platform);

const checkFields = ({ receipt, statement }: ReadDropReceipt): ReceiptCheck =>
  digestFields(receipt.senderFields) === statement.senderFieldsSha256
    ? pass('receipt.fields', 'what the sender filled in is what was signed')
    : fail('receipt.fields', 'FIELDS_MISMATCH', 'the sender fields have another digest than the signed one');

async function checkContent(
  { statement: { file } }: ReadDropReceipt,
  original: ReceiptInputs['original'],
  platform: VerifierPlatform,
): Promise<ReceiptCheck> {
  const id = 'file.content';
  if (original === undefined) return open(id, 'FILE_MISSING', 'no file was given to compare with the receipt');
  const plan = { chunkSize: Number.MAX_SAFE_INTEGER, chunkCount: 1, maxBytes: Number.MAX_SAFE_INTEGER };
  const content = await hashContent(original, plan, platform).catch(() => null);
  if (content === null) return broken(id, 'FILE_UNREADABLE', 'the file could not be read to its end');
  const contentHash = toDigest(content.contentHash);
  if (content.size === file.size && contentHash === file.contentHash)
    return pass(id, 'the file is byte for byte the one that was received');
  const [given, received] = [{ ...content, contentHash }, file].map(one => `${one.size} bytes with ${one.contentHash}`);
  return fail(id, 'CONTENT_HASH_MISMATCH', `the given file is ${given}, the received one was ${received}`);
}

const notIncluded =
  'the ledger entry of this receipt is not included in its checkpoint: the inclusion path leads to another root';

/** Without a key of the ledger its statement counts for nothing, but contradictions are reported. */
async function checkLedger(
  { receipt }: ReadDropReceipt,
  keyText: string | undefined,
  platform: VerifierPlatform,
): Promise<ReceiptCheck[]> {
  const id = 'ledger.entry';
  const { ledgerProof } = receipt;
  if (ledgerProof === undefined)
    return keyText === undefined ? [] : [open(id, 'LEDGER_PROOF_MISSING', 'the receipt holds no proof of the ledger')];
  const proof = tryTo(() => parseTlogProof(toUtf8(ledgerProof)));
  if (proof instanceof Error) return [fail(id, 'LEDGER_PROOF_MALFORMED', `the proof of the ledger: ${proof.message}`)];
  const bytes = proof.extra ?? new Uint8Array();
  const entry = tryTo(() => parseLedgerEntry(bytes));
  const isAbout =
    !(entry instanceof Error) &&
    entry.kind === 'RECEIPT_ISSUED' &&
    entry.receiptSha256 === digestStatement(receipt.statement);
  if (!isAbout) return [fail(id, 'LEDGER_ENTRY_OTHER', 'the ledger entry in the receipt records another receipt')];
  if (!isProofOf(hashLeaf(bytes), proof)) return [fail(id, 'LEDGER_PATH_WRONG', notIncluded)];
  if (keyText === undefined) return [];
  const key = tryTo(() => parseVerifierKey(keyText.trim()));
  if (key instanceof Error) return [broken(id, 'LEDGER_KEY_INVALID', `the key of the ledger: ${key.message}`)];
  const signed = await openCheckpoint(proof.checkpoint, key, platform.verifyEd25519).catch((error: Error) => error);
  if (signed instanceof Error) return [fail(id, 'CHECKPOINT_INVALID', `the checkpoint: ${signed.message}`)];
  return [pass(id, `entry ${proof.index} of the ledger, recorded ${entry.recordedAt}`)];
}
