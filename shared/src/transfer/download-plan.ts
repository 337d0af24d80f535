// The verification plan of a download: the chunks of the manifest, which must be the one named by the file's record,
// and the digest of the whole. Rejects a manifest with a wrong hash, with gaps, or of another file.
import { z } from 'zod';
import { ApiError } from '../api/errors.ts';
import { contentHash, fileHash } from '../api/files.ts';
import type { ManifestMetadata } from '../api/manifests.ts';
import { maxChunks } from '../api/uploads.ts';
import { digestOf, toUtf8 } from '../evidence/digest.ts';
import { jsonOrNone } from '../json-or-none.ts';
import type { DownloadableFile } from './download-source.ts';
import { TransferError } from './transfer-error.ts';

export type CheckedRange = { readonly start: number; readonly end: number; readonly hash: string };

export type DownloadPlan = {
  readonly file: DownloadableFile;
  /** Without gaps, from 0 to the end. */
  readonly ranges: readonly CheckedRange[];
  /** False for old records without a manifest that may be downloaded: then only the whole is verified. */
  readonly hasManifest: boolean;
};

const size = z.int().min(1);
const manifestShape = z.object({
  fileHash,
  totalSize: size,
  manifestHash: contentHash,
  chunks: z
    .array(z.object({ index: z.int(), plainHash: contentHash, size, plainSize: size.optional() }))
    .min(1)
    .max(maxChunks),
});

const reject = (why: string): never => {
  throw new TransferError('wrong-answer', `the chunk manifest of this file ${why}`);
};

/**
 * The hash covers the canonical JSON without the member that holds it. In canonical JSON that member is followed by
 * `schema`, so removing it from the text gives the hashed text; a text that is not canonical does not match.
 */
function toRanges(canonicalJson: string, file: DownloadableFile): CheckedRange[] {
  const json = jsonOrNone(canonicalJson);
  if (json === undefined) return reject('is not JSON');
  const parsed = manifestShape.safeParse(json);
  if (!parsed.success) return reject('is not of the form recordproof.chunk-manifest.v1');
  const manifest = parsed.data;
  if (
    digestOf(toUtf8(canonicalJson.replace(`"manifestHash":"${manifest.manifestHash}",`, ''))) !== manifest.manifestHash
  )
    reject('does not have the hash that it says');
  if (file.manifestHash !== null && file.manifestHash !== manifest.manifestHash) reject('is not the recorded one');
  if (manifest.fileHash !== file.fileHash) reject('belongs to another file');
  let start = 0;
  const ranges = manifest.chunks.map((chunk, index) => {
    if (chunk.index !== index) reject('does not list its chunks in order');
    const range = { start, end: start + (chunk.plainSize ?? chunk.size), hash: chunk.plainHash };
    start = range.end;
    return range;
  });
  if (start !== file.fileSize || manifest.totalSize !== file.fileSize) reject('does not cover the file');
  return ranges;
}

export async function findDownloadPlan(
  file: DownloadableFile,
  findMetadata: () => Promise<ManifestMetadata>,
): Promise<DownloadPlan> {
  try {
    const metadata = await findMetadata();
    return { file, ranges: toRanges(metadata.canonicalManifestJson, file), hasManifest: true };
  } catch (error) {
    // Only the server may permit a download without a manifest; a missing manifest alone does not.
    const isAllowed = error instanceof ApiError && error.detail?.legacyDownloadAllowed === true;
    if (!isAllowed) throw error;
    return { file, ranges: [{ start: 0, end: file.fileSize, hash: file.contentHash }], hasManifest: false };
  }
}
