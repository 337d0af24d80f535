// Audit rows as the database holds them: texts that no query searches are packed, hashes are bytes, and the hash of the
// row before is not repeated. Readers get the exact texts back, so that the hash of a row covers what it was made of.
import type { Selectable } from 'kysely';
import { textPacking } from '../../platform/db/packed-text.ts';
import type { Tables } from '../../platform/db/tables.ts';
import type { LinkedRow } from './hash-chain.ts';

export type StoredAuditRow = Selectable<Tables['audit_log']>;

type Texts = Pick<LinkedRow, 'description' | 'method' | 'request_url' | 'request_method' | 'request_param'>;
type Kind = Pick<StoredAuditRow, 'module' | 'operation_type'>;

/** In the order of the columns of a backup (docs/guide/audit.md). */
export type AuditLogRow = LinkedRow & Pick<StoredAuditRow, 'id' | 'tenant_id' | 'repeated'> & { readonly hash: string };

/** Part of the stored format: only ever extended at the end. */
const packing = textPacking([
  '","',
  '"]',
  '["file ',
  '["proof of file ',
  ' stored","',
  ' issued","',
  '","LOCAL","{}"]',
  '","LOCAL","{\\"',
  '","GET","{\\"',
  '","POST","{\\"',
  '","PUT","{\\"',
  '","PATCH","{\\"',
  '","DELETE","{\\"',
  '","/api/v1/',
  '{\\"proofId\\":\\"rp-proof-',
  'proofId\\":\\"rp-proof-',
  '\\",\\"fileId\\":',
  ',\\"keyId\\":\\"rp-',
  '\\",\\"keyVersion\\":',
  'fileId\\":',
  ',\\"fileHash\\":\\"',
  '\\",\\"fileName\\":\\"',
  ',\\"version\\":',
  'apiToken\\":{\\"id\\":',
  ',\\"name\\":\\"',
  '\\"},\\"',
  'dropLinkId\\":',
  '\\":\\"',
  '\\",\\"',
  ',\\"',
  '\\":',
  '\\"}"]',
  '}"]',
  'uploads',
  '/files/',
  '/shares/',
]);

/** Known values depend on the kind of the operation alone: rows of one kind with the same texts have the same bytes. */
const knownOf = ({ module, operation_type }: Kind): string[] => [`${module}.${operation_type}`, module, operation_type];

const toText = (row: Texts): string =>
  JSON.stringify([row.description, row.method, row.request_url, row.request_method, row.request_param]);

export const packTexts = (row: Kind & Texts): Buffer => packing.pack(toText(row), knownOf(row));

/** Damaged bytes give texts that do not fit the hash. */
export function unpackTexts(row: Kind & Pick<StoredAuditRow, 'packed'>): Texts {
  const text = packing.unpack(row.packed, knownOf(row)) ?? '';
  const [description = '', method = '', request_url = '', request_method = '', request_param = '', ...rest] =
    parseTexts(text);
  const texts = { description, method, request_url, request_method, request_param };
  return rest.length === 0 ? texts : { ...texts, description: text };
}

function parseTexts(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every(one => typeof one === 'string') ? parsed : [];
  } catch {
    return [];
  }
}

export function toAuditLogRow(row: StoredAuditRow): AuditLogRow {
  const { description, ...texts } = unpackTexts(row);
  return {
    id: row.id,
    tenant_id: row.tenant_id,
    position: row.position,
    module: row.module,
    operation_type: row.operation_type,
    description,
    method: texts.method,
    request_url: texts.request_url,
    request_method: texts.request_method,
    request_ip: row.request_ip,
    request_param: texts.request_param,
    status: row.status,
    error_msg: row.error_msg,
    user_id: row.user_id,
    username: row.username,
    operation_time: row.operation_time,
    execution_time: row.execution_time,
    hash: row.hash.toString('hex'),
    repeated: row.repeated,
  };
}
