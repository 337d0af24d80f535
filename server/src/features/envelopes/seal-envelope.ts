// Who may open a sealed file: one ACTIVE envelope per recipient holds its data key, wrapped by the key provider and
// bound to tenant, file and recipient.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { contentSuite, type FileKey } from '../../platform/crypto/content-suite.ts';
import { type EnvelopeBinding, openEnvelope, sealEnvelope } from '../../platform/crypto/envelope.ts';
import type { Engine } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { assertEnvelopeReadable, type Wrapping, wrapperForWriting } from '../crypto-policy/index.ts';
import type { EnvelopeSubject, SealedEnvelope } from './envelope-types.ts';
import { findActiveEnvelope, insertEnvelopes, readEnvelope, revokeMatching } from './queries.ts';

export const toBinding = (subject: EnvelopeSubject, fileNonce: Uint8Array): EnvelopeBinding => ({
  tenantId: String(subject.tenantId),
  fileId: String(subject.fileId),
  fileHash: subject.fileHash,
  recipientType: subject.recipientType,
  recipientId: subject.recipientId,
  suite: contentSuite,
  fileNonce,
});

/** Asks the key provider that the tenant's policy names; call before the transaction that stores the result. */
export async function sealFor(server: Wrapping, key: FileKey, subject: EnvelopeSubject): Promise<SealedEnvelope> {
  const { provider, ...suites } = await wrapperForWriting(server, subject.tenantId);
  const envelope = await sealEnvelope(provider, key.dataKey, toBinding(subject, key.fileNonce));
  return { ...envelope, ...suites, subject };
}

export const storeEnvelopes = (tx: Tx, sealed: readonly SealedEnvelope[], now: Time): Promise<void> =>
  insertEnvelopes(tx, sealed, now);

type Gift = { readonly tenantId: Key; readonly recipientType: 'SHARE' | 'FRIEND_SHARE'; readonly recipientId: string };

/** Ends what somebody was given: from the commit on none of its files open for it, also not those being rewrapped. */
export const revokeGift = (tx: Tx, engine: Engine, { recipientType, ...gift }: Gift, now: Time): Promise<void> =>
  revokeMatching(tx, engine, { ...gift, recipientTypes: [recipientType] }, now);

/** Ends everything that a file was given to; its owner keeps it. */
export const revokeGiftsOf = (
  tx: Tx,
  engine: Engine,
  file: { readonly tenantId: Key; readonly fileId: Key },
  now: Time,
): Promise<void> => revokeMatching(tx, engine, { ...file, recipientTypes: ['SHARE', 'FRIEND_SHARE'] }, now);

type Opening = Pick<Server, 'suites' | 'keyProviders'>;

/** The key of a file for one recipient; FILE_NOT_EXIST when there is no ACTIVE envelope for it. */
export async function openFileKey(
  db: Db,
  server: Opening,
  subject: EnvelopeSubject,
  fileNonce: Uint8Array,
): Promise<FileKey> {
  const row = await findActiveEnvelope(db, subject);
  if (!row) throw new ApiError('FILE_NOT_EXIST');
  assertEnvelopeReadable(server, { signatureSuite: row.signature_suite, kemSuite: row.kem_suite });
  const dataKey = await openEnvelope(server.keyProviders, readEnvelope(row), toBinding(subject, fileNonce));
  return { dataKey, fileNonce };
}
