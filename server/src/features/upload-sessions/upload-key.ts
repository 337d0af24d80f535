// The data key of an unfinished upload: wrapped like any other, bound to the session, opened once and cached while
// chunks arrive.
import { contentSuite, type FileKey, newFileKey } from '../../platform/crypto/content-suite.ts';
import { type Envelope, type EnvelopeBinding, openEnvelope, sealEnvelope } from '../../platform/crypto/envelope.ts';
import type { Key } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type Wrapping, wrapperForWriting } from '../crypto-policy/index.ts';
import type { UploadRow } from './queries.ts';

type Subject = { readonly tenantId: Key; readonly ownerId: Key; readonly staging: string };

const toBinding = ({ tenantId, ownerId, staging }: Subject, fileNonce: Uint8Array): EnvelopeBinding => ({
  tenantId: String(tenantId),
  fileId: staging,
  fileHash: '',
  recipientType: 'UPLOAD',
  recipientId: String(ownerId),
  suite: contentSuite,
  fileNonce,
});

type StoredUploadKey = { readonly file_nonce: string; readonly sealed_key: string };

export async function newUploadKey(server: Wrapping, subject: Subject): Promise<StoredUploadKey> {
  const { provider } = await wrapperForWriting(server, subject.tenantId);
  const { dataKey, fileNonce } = newFileKey();
  const { wrapped, ...envelope } = await sealEnvelope(provider, dataKey, toBinding(subject, fileNonce));
  const sealed_key = JSON.stringify({ ...envelope, wrapped: Buffer.from(wrapped).toString('base64') });
  return { file_nonce: Buffer.from(fileNonce).toString('hex'), sealed_key };
}

export async function openUploadKey(
  { keyProviders, underWay }: Pick<Server, 'keyProviders' | 'underWay'>,
  row: UploadRow,
): Promise<FileKey> {
  if (row.file_nonce === null || row.sealed_key === null) throw new Error(`upload ${row.id} is not sealed`);
  const fileNonce = Buffer.from(row.file_nonce, 'hex');
  const cachedKey = underWay.keys.get(row.staging);
  if (cachedKey) return { dataKey: cachedKey, fileNonce };
  const { wrapped, ...rest } = JSON.parse(row.sealed_key) as Omit<Envelope, 'wrapped'> & { wrapped: string };
  const envelope: Envelope = { ...rest, wrapped: Buffer.from(wrapped, 'base64') };
  const subject = { tenantId: row.tenant_id, ownerId: row.owner_id, staging: row.staging };
  const dataKey = await openEnvelope(keyProviders, envelope, toBinding(subject, fileNonce));
  underWay.keys.set(row.staging, dataKey);
  return { dataKey, fileNonce };
}
