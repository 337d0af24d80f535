import type { Selectable } from 'kysely';
import type { Db, Tables, Time, Tx } from '../../platform/db/tables.ts';
import type { EnvelopeSubject, SealedEnvelope } from './envelope-types.ts';

export type EnvelopeRow = Selectable<Tables['envelope']>;

export async function findActiveEnvelope(db: Db, subject: EnvelopeSubject): Promise<EnvelopeRow | null> {
  const row = await db
    .selectFrom('envelope')
    .selectAll()
    .where('tenant_id', '=', subject.tenantId)
    .where('file_id', '=', subject.fileId)
    .where('file_hash', '=', subject.fileHash)
    .where('recipient_type', '=', subject.recipientType)
    .where('recipient_id', '=', subject.recipientId)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirst();
  return row ?? null;
}

export async function insertEnvelope(tx: Tx, { subject, ...envelope }: SealedEnvelope, now: Time): Promise<void> {
  await tx
    .insertInto('envelope')
    .values({
      tenant_id: subject.tenantId,
      file_id: subject.fileId,
      file_hash: subject.fileHash,
      recipient_type: subject.recipientType,
      recipient_id: subject.recipientId,
      status: 'ACTIVE',
      provider: envelope.provider,
      provider_contract: envelope.contract,
      provider_key_version: envelope.keyVersion,
      logical_key_version: 1,
      algorithm: envelope.algorithm,
      wrapped_key: Buffer.from(envelope.wrapped),
      aad_digest: envelope.aadDigest,
      created_at: now,
      updated_at: now,
    })
    .execute();
}
