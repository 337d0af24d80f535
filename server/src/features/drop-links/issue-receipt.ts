// Receipts of received files: signed once, committed to the ledger in the transaction that makes the receipt final.
// After a crash between record and receipt, the sweep completes the arrival.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  digestFields,
  digestStatement,
  readDropReceipt,
  type SenderFields,
  signDropStatement,
  writeDropReceipt,
} from '@recordproof/shared/evidence/drop-receipt.ts';
import { localCall } from '../../platform/call.ts';
import { toIso } from '../../platform/clock.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { appendAudit } from '../audit/index.ts';
import { notify } from '../events/index.ts';
import { type FileRow, findFile } from '../files/index.ts';
import { lockActiveKey, toProofKey } from '../proofs/index.ts';
import type { openEvidence } from '../vouchers/index.ts';
import {
  type ArrivalRow,
  findArrival,
  findLinkById,
  findSenderById,
  type LinkRow,
  lockLink,
  markReceived,
  type SenderRow,
  updateLink,
} from './queries.ts';

type Issues = Pick<Server, 'database' | 'clock' | 'signing' | 'ledger'>;

/** Notifications are delayed this long after a file is received, so that one mail covers several. */
const mailDelayMs = 60_000;

export async function issueReceipt(server: Issues, arrival: ArrivalRow, fileId: Key): Promise<ArrivalRow> {
  const { db } = server.database;
  const file = await findFile(db, arrival.tenant_id, fileId);
  if (file === null) throw new Error(`file ${fileId} of arrival ${arrival.id} no longer exists`);
  const sender = await findSenderById(db, arrival.sender_id);
  for (;;) {
    const key = await server.signing.current();
    const signed = await sign(server, key, { arrival, file, sender });
    const outcome = await db.transaction().execute(tx => storeReceipt(server, tx, { arrival, file, key, ...signed }));
    if (outcome === 'key retired') continue; // between signing and storing
    server.ledger.publishSoon();
    const issued = outcome ?? (await findArrival(db, arrival.id));
    if (issued === null) throw new ApiError('DROP_LINK_NOT_FOUND');
    return issued;
  }
}

type Current = Awaited<ReturnType<Server['signing']['current']>>;
type Arrived = { readonly arrival: ArrivalRow; readonly file: FileRow; readonly sender: SenderRow };

const toFields = ({ fields }: SenderRow): SenderFields => JSON.parse(fields) as SenderFields;

/** Every input is stored, so that concurrent servers sign the same bytes. */
async function sign({ database, signing }: Issues, key: Current, { arrival, file, sender }: Arrived) {
  const link = await findLinkById(database.db, arrival.link_id);
  if (link === null) throw new ApiError('DROP_LINK_NOT_FOUND');
  const { transaction_hash: transactionHash, manifest_hash: manifestHash } = file;
  if (transactionHash === null || manifestHash === null) throw new Error(`file ${file.id} is not stored`);
  const receivedAt = file.created_at;
  const receipt = await signDropStatement(
    {
      receivedAt: toIso(receivedAt),
      link: { id: toWireId(link.id), title: link.title },
      file: {
        name: arrival.file_name,
        ...(arrival.path !== null && { path: arrival.path }),
        size: arrival.file_size,
        contentHash: file.content_hash,
        recordId: file.file_hash,
        manifestHash,
        transactionHash,
      },
      senderFieldsSha256: digestFields(toFields(sender)),
    },
    { ...toProofKey(key), sign: message => signing.sign(key, message) },
  );
  return { receipt, receivedAt };
}

type Signed = Pick<Arrived, 'arrival' | 'file'> & {
  readonly key: Current;
  readonly receipt: string;
  readonly receivedAt: number;
};

/** Returns null if there is a receipt already. */
async function storeReceipt(
  { database, clock, ledger }: Issues,
  tx: Tx,
  { arrival, file, key, receipt, receivedAt }: Signed,
): Promise<ArrivalRow | null | 'key retired'> {
  const link = await lockLink(tx, database.kind, arrival.link_id);
  if (link === null) return null;
  if (!(await lockActiveKey(tx, database.kind, key))) return 'key retired';
  const received = await markReceived(tx, arrival.id, { file_id: file.id, received_at: receivedAt, receipt });
  if (received === null) return null;
  const now = clock.now();
  const changed = await updateLink(tx, link.id, {
    arrived_files: link.arrived_files + 1,
    arrived_bytes: link.arrived_bytes + arrival.file_size,
    mail_at: link.mail_at ?? now + mailDelayMs,
  });
  await ledger.recordWithin(tx, [{ kind: 'RECEIPT_ISSUED', receiptSha256: digestStatement(receipt) }]);
  await notifyOwner(tx, changed, file, now);
  const entry = {
    module: 'drop-links',
    operation: 'receive',
    description: `file ${arrival.file_name} arrived through drop link ${link.id}`,
    param: { dropLinkId: link.id, arrivalId: arrival.id, fileId: file.id, address: arrival.address },
  };
  await appendAudit(tx, localCall('drop-links', link.tenant_id, now), entry, now);
  return received;
}

async function notifyOwner(tx: Tx, link: LinkRow, file: FileRow, now: number): Promise<void> {
  const payload = {
    linkId: toWireId(link.id),
    title: link.title,
    fileId: toWireId(file.id),
    fileName: file.file_name,
    fileHash: file.file_hash,
  };
  const to = { kind: 'users', userIds: [link.owner_id] } as const;
  await notify(tx, { tenantId: link.tenant_id, to, type: 'drop-arrived', payload }, now);
}

type Evidence = ReturnType<typeof openEvidence>;

/** The receipt file for the sender, without ledger proof until a checkpoint covers the statement. */
export async function writeReceipt(
  evidence: Pick<Evidence, 'proveEntry'>,
  { receipt }: ArrivalRow,
  sender: SenderRow,
): Promise<Uint8Array> {
  if (receipt === null) throw new ApiError('CONFLICT', 'this file has not arrived yet; complete it first');
  const subject = digestStatement(receipt).slice('sha256:'.length);
  const proof = await evidence.proveEntry('RECEIPT_ISSUED', subject).catch(error => {
    if (error instanceof ApiError && (error.kind === 'CONFLICT' || error.kind === 'SERVICE_UNAVAILABLE')) return null;
    throw error;
  });
  const whole = { statement: receipt, senderFields: toFields(sender) };
  const bytes = writeDropReceipt(proof === null ? whole : { ...whole, ledgerProof: parseUtf8(proof) });
  readDropReceipt(bytes); // nothing is delivered that a verifier would reject
  return bytes;
}
