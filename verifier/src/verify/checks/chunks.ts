// The check `chunks.contract`.
import { buildChunkManifest, chunkManifestSchema, plannedSize } from '@recordproof/shared/evidence/chunk-manifest.ts';
import { type ProofChunks, type ProofManifest, proofChunksSchema } from '@recordproof/shared/evidence/proof-entries.ts';
import { ShapeError } from '@recordproof/shared/evidence/strict-shape.ts';
import { type Check, valueIn } from '../case-file.ts';
import { found, notRun, pass } from '../report.ts';

/** The chunks form one contiguous plan of this file, and the manifest rebuilt from them has the anchored hash. */
export const chunksContract: Check<'chunks.contract'> = {
  id: 'chunks.contract',
  judge(file) {
    const [chunks, manifest] = [valueIn(file.chunks), valueIn(file.manifest)];
    if (chunks === undefined) return notRun('json.chunk-manifest.json');
    if (manifest === undefined) return notRun('json.manifest.json');
    const wrong = wrongField(chunks, manifest);
    if (wrong !== undefined) return found('CHUNKS_CONTRACT', `chunk-manifest.json: ${wrong} is not as required.`);
    let actual: string;
    try {
      actual = buildChunkManifest(toPlan(chunks)).manifestHash;
    } catch (problem) {
      if (!(problem instanceof ShapeError)) throw problem;
      return found('CHUNKS_CONTRACT', `The chunk manifest cannot be rebuilt: ${problem.message}.`);
    }
    if (actual !== chunks.manifestHash)
      return found('MANIFEST_HASH_MISMATCH', 'The chunks are not those of the anchored manifest.', {
        expected: chunks.manifestHash,
        actual,
      });
    return pass('The chunks form the manifest whose hash was anchored.', { chunks: chunks.chunkCount });
  },
};

function wrongField(chunks: ProofChunks, manifest: ProofManifest): string | undefined {
  if (chunks.schemaVersion !== proofChunksSchema) return 'schemaVersion';
  if (chunks.sourceSchema !== chunkManifestSchema) return 'sourceSchema';
  if (chunks.hashAlgorithm !== 'SHA-256') return 'hashAlgorithm';
  if (chunks.fileId !== manifest.fileId) return 'fileId';
  if (chunks.fileVersion !== manifest.fileVersion) return 'fileVersion';
  if (chunks.chunkCount !== chunks.chunks.length) return 'chunkCount';
  if (chunks.chunkCount !== Math.ceil(chunks.totalSize / chunks.chunkSize)) return 'totalSize';
  const index = chunks.chunks.findIndex(
    (chunk, at) =>
      chunk.index !== at || chunk.size !== plannedSize(chunks, at) || chunk.checksumAlgorithm !== 'SHA-256',
  );
  return index < 0 ? undefined : `chunks[${index}]`;
}

const toPlan = (chunks: ProofChunks) => ({
  fileHash: chunks.chainRecordId,
  chunkSize: chunks.chunkSize,
  totalSize: chunks.totalSize,
  storageBackend: chunks.storageBackend,
  encryptionAlgorithm: chunks.encryptionAlgorithm,
  chunks: chunks.chunks.map(({ index, plainHash, cipherHash, objectPath }) => ({
    index,
    plainHash,
    cipherHash,
    storagePath: objectPath,
  })),
});
