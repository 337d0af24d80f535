// Manifests as the database holds them: the canonical JSON without what every manifest repeats. Readers get the exact text
// back and check its hash.
import { textPacking } from '../../platform/db/packed-text.ts';

/** Part of the stored format (docs/spec/stored-objects.md section 2): only ever extended at the end. */
const packing = textPacking([
  '{"chunkSize":',
  ',"chunks":[{"checksumAlgorithm":"SHA-256","cipherHash":"sha256:',
  '","index":',
  ',"plainHash":"sha256:',
  '","plainSize":',
  '","size":',
  ',"size":',
  ',"storageBackend":"DISK","storagePath":"',
  ',"storageBackend":"S3","storagePath":"',
  '"},{"checksumAlgorithm":"SHA-256","cipherHash":"sha256:',
  '"}],"encryption":{"framePlainSize":1048576,"headerSize":48,"tagSize":16},"encryptionAlgorithm":"RP-AES256-GCM-CHUNK-CHAIN-V1","fileHash":"',
  '"}],"encryptionAlgorithm":"NONE","fileHash":"',
  '","hashAlgorithm":"SHA-256","manifestHash":"',
  '","schema":"recordproof.chunk-manifest.v1","storageBackend":"DISK","totalSize":',
  '","schema":"recordproof.chunk-manifest.v1","storageBackend":"S3","totalSize":',
  '","merkleRoot":"sha256:',
  '}',
]);

type PackedManifest = { readonly manifest_hash: string; readonly packed: Buffer };

export const packManifest = (manifestHash: string, canonicalJson: string): Buffer =>
  packing.pack(canonicalJson, [manifestHash]);

/** Damaged bytes give an empty text, which no reader takes for a manifest. */
export const unpackManifest = ({ manifest_hash: hash, packed }: PackedManifest): string =>
  packing.unpack(packed, [hash]) ?? '';
