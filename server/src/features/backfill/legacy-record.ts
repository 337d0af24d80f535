// One line of an import: a record of an older system in that system's words. Rejects, with one sentence, lines that
// cannot be a record here; a scan checks the claims.
import { anyFileName, contentHash, contentType, fileHash, folderPath } from '@recordproof/shared/api/files.ts';
import { maxChunks, storagePath } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { parseStrictJson, StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';
import { z } from 'zod';
import type { Key } from '../../platform/db/tables.ts';

export const maxLineBytes = 8 * 1024 * 1024;
const mostBytes = 2 ** 50;

const objectPath = z.string().refine(isStoragePath, 'must be a relative object path of letters, digits and ._=-');

function isStoragePath(text: string): boolean {
  try {
    storagePath(text, '');
    return true;
  } catch {
    return false;
  }
}

const legacyChunk = z.strictObject({
  index: z
    .int()
    .min(0)
    .max(maxChunks - 1),
  storagePath: objectPath,
  size: z.int().min(1).max(mostBytes),
  plainHash: contentHash.optional(),
});

const legacyRecord = z.strictObject({
  /** Its record id, which is kept. */
  fileHash,
  contentHash,
  fileName: anyFileName,
  fileSize: z.int().min(1).max(mostBytes),
  contentType: contentType.default('application/octet-stream'),
  path: folderPath.optional(),
  /** User name in the importing tenant. */
  owner: z.string().min(1).max(255),
  chunkSize: z.int().min(1).max(mostBytes),
  /** NONE, or the older system's name for its encryption. */
  encryption: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be a name of letters, digits and ._-')
    .default('NONE'),
  chunks: z.array(legacyChunk).max(maxChunks),
});
export type LegacyRecord = z.infer<typeof legacyRecord>;

/** Why the line is rejected: one sentence, for people. */
export class LegacyLineError extends Error {}

export function parseLegacyRecord(bytes: Uint8Array, tenantId: Key): LegacyRecord {
  const record = toRecord(bytes);
  const foreign = record.chunks.find(chunk => isReserved(chunk.storagePath, tenantId));
  if (foreign === undefined) return record;
  throw new LegacyLineError(`${foreign.storagePath} is a path that this server uses for other data`);
}

function toRecord(bytes: Uint8Array): LegacyRecord {
  const result = legacyRecord.safeParse(toJson(bytes), { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new LegacyLineError(issue === undefined ? 'the record is not valid' : toSentence(issue));
}

function toSentence(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  const field = path === '' ? 'the record' : path.replace(/^\./, '');
  if (issue.code === 'unrecognized_keys') return `${field}: unknown fields ${issue.keys.join(', ')}`;
  if (issue.code !== 'invalid_type') return `${field}: ${issue.message}`;
  if (issue.input === undefined) return `${field} is missing`;
  return `${field}: must be ${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
}

function toJson(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (error instanceof StrictJsonError) throw new LegacyLineError(error.message);
    throw error;
  }
}

const ownAreas: ReadonlySet<string> = new Set(['ledger', 'staging', 'short', 'audit-backups']);

/** Paths of the tenant's own objects are allowed, because its own records may be lost. */
function isReserved(path: string, tenantId: Key): boolean {
  const [area = ''] = path.split('/');
  return ownAreas.has(area) || (area.startsWith('tenant-') && area !== `tenant-${tenantId}`);
}
