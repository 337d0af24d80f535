// SQL for the bytes of one file: its manifest and, for a sealed one, the envelope that opens it for a recipient.
import type { Db } from '../../platform/db/tables.ts';
import { type EnvelopeSubject, type KeyRow, keyColumns } from '../envelopes/index.ts';
import { unpackManifest } from '../manifests/index.ts';

type FoundContent = { readonly manifestJson: string; readonly envelope: KeyRow | null };

/** Null for a file without an active manifest. */
export async function findContent(db: Db, subject: EnvelopeSubject): Promise<FoundContent | null> {
  const row = await db
    .selectFrom('manifest')
    .leftJoin('envelope', join =>
      join
        .onRef('envelope.tenant_id', '=', 'manifest.tenant_id')
        .onRef('envelope.file_id', '=', 'manifest.file_id')
        .on('envelope.file_hash', '=', subject.fileHash)
        .on('envelope.recipient_type', '=', subject.recipientType)
        .on('envelope.recipient_id', '=', subject.recipientId)
        .on('envelope.status', '=', 'ACTIVE'),
    )
    .select(['manifest.manifest_hash', 'manifest.packed'])
    .select(keyColumns)
    .where('manifest.tenant_id', '=', subject.tenantId)
    .where('manifest.file_id', '=', subject.fileId)
    .where('manifest.status', '=', 'ACTIVE')
    .where('manifest.deleted', '=', 0)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { manifest_hash, packed, ...columns } = row;
  const manifestJson = unpackManifest({ manifest_hash, packed });
  return { manifestJson, envelope: columns.wrapped_key === null ? null : (columns as KeyRow) };
}
