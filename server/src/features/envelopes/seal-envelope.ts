// Envelopes of a sealed file: one ACTIVE envelope per recipient holds its data key, wrapped by the key provider and
// bound to tenant, file and recipient.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { contentSuite, type FileKey } from '../../platform/crypto/content-suite.ts';
import { type EnvelopeBinding, openEnvelope, sealEnvelope } from '../../platform/crypto/envelope.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Server } from '../../platform/server.ts';
import { assertEnvelopeReadable, type Wrapping, wrapperForWriting } from '../crypto-policy/index.ts';
import {
  type EnvelopeSubject,
  findActiveEnvelope,
  type KeyRow,
  type Recipient,
  readEnvelope,
  revokeMatching,
  type SealedEnvelope,
} from './queries.ts';

export const toBinding = (subject: EnvelopeSubject, fileNonce: Uint8Array): EnvelopeBinding => ({
  tenantId: String(subject.tenantId),
  fileId: String(subject.fileId),
  fileHash: subject.fileHash,
  recipientType: subject.recipientType,
  recipientId: subject.recipientId,
  suite: contentSuite,
  fileNonce,
});

/** Calls the key provider of the tenant's policy; call before the transaction that stores the result. */
export async function sealFor(server: Wrapping, key: FileKey, subject: EnvelopeSubject): Promise<SealedEnvelope> {
  const { provider, ...suites } = await wrapperForWriting(server, subject.tenantId);
  const envelope = await sealEnvelope(provider, key.dataKey, toBinding(subject, key.fileNonce));
  return { ...envelope, ...suites, subject };
}

type Gift = {
  readonly tenantId: Key;
  readonly recipientType: 'SHARE' | 'FRIEND_SHARE';
  readonly recipientId: string;
  /** Only of these. */
  readonly fileIds?: readonly Key[];
};

/** Revokes a gift: from the commit on it opens none of its files, including those being rewrapped. */
export const revokeGift = (tx: Tx, engine: Engine, { recipientType, ...gift }: Gift, now: Time): Promise<void> =>
  revokeMatching(tx, engine, { ...gift, recipientTypes: [recipientType] }, now);

/** Revokes all gifts of the files; the owner's envelopes stay. */
export const revokeGiftsOf = (
  tx: Tx,
  engine: Engine,
  files: { readonly tenantId: Key; readonly fileIds: readonly Key[] },
  now: Time,
): Promise<void> => revokeMatching(tx, engine, { ...files, recipientTypes: ['SHARE', 'FRIEND_SHARE'] }, now);

type Opening = Pick<Server, 'suites' | 'keyProviders'>;

/** The columns of a file row to which its envelopes are bound. */
type BoundFile = {
  readonly tenant_id: Key;
  readonly id: Key;
  readonly file_hash: string;
  readonly file_nonce: string | null;
};

export const toOwner = ({ owner_id }: { readonly owner_id: Key }): Recipient => ({
  type: 'OWNER',
  id: String(owner_id),
});

export const toSubject = (file: Omit<BoundFile, 'file_nonce'>, { type, id }: Recipient): EnvelopeSubject => ({
  tenantId: file.tenant_id,
  fileId: file.id,
  fileHash: file.file_hash,
  recipientType: type,
  recipientId: id,
});

/** Other recipients may have lost their access, and are not told more than that. */
const keyMissing = ({ id }: Pick<BoundFile, 'id'>, { type }: Recipient): ApiError =>
  type === 'OWNER'
    ? new ApiError(
        'FILE_NOT_EXIST',
        `the key of file ${toWireId(id)} is missing, so its content cannot be decrypted; tell the administrator, who can restore it from a backup`,
      )
    : new ApiError('FILE_NOT_EXIST');

/** The data key of a sealed file from the recipient's ACTIVE envelope row; throws FILE_NOT_EXIST without one. */
export async function openFileKey(
  server: Opening,
  file: BoundFile,
  recipient: Recipient,
  row: KeyRow | null | undefined,
): Promise<FileKey> {
  if (!row) throw keyMissing(file, recipient);
  assertEnvelopeReadable(server, { signatureSuite: row.signature_suite, kemSuite: row.kem_suite });
  return openStoredKey(server.keyProviders, file, recipient, row);
}

/** The same, whether or not the suites of the envelope may still be read. */
export async function openStoredKey(
  keyProviders: Opening['keyProviders'],
  file: BoundFile,
  recipient: Recipient,
  row: KeyRow,
): Promise<FileKey> {
  const fileNonce = Buffer.from(file.file_nonce ?? '', 'hex');
  const binding = toBinding(toSubject(file, recipient), fileNonce);
  return { dataKey: await openEnvelope(keyProviders, readEnvelope(row), binding), fileNonce };
}

/** Reads the envelope row first. */
export async function findFileKey(db: Db, server: Opening, file: BoundFile, recipient: Recipient): Promise<FileKey> {
  return openFileKey(server, file, recipient, await findActiveEnvelope(db, toSubject(file, recipient)));
}
