// The JSON entries of RP-SIGNED-PROOF-ZIP-V2 (docs/spec/proof-archive.md sections 3 to 6): shapes, strict readers and
// canonical bytes. Rejects unknown fields, and values that are unsafe in a URL path or a report.
import { canonicalBytes, type JsonValue } from './canonical-json.ts';
import { contentSuite, maxChunks, storageBackend, storagePath } from './chunk-manifest.ts';
import { sha256, toHex, toUtf8 } from './digest.ts';
import {
  arrayOf,
  decimalId,
  digestText,
  flag,
  hexHash,
  integer,
  objectOf,
  oneOf,
  type Reader,
  ShapeError,
  text,
  transactionHash,
  urlName,
} from './strict-shape.ts';

export const proofManifestSchema = 'service-proof-manifest.v2';
export const proofChunksSchema = 'service-proof-chunk-manifest.v1';
export const merkleProofSchema = 'service-proof-merkle.v1';
export const receiptSchema = 'service-proof-blockchain-receipt.v1';
export const manifestHashEvidence = 'MANIFEST_HASH';

const schemaName = text(/^[a-z0-9.-]{1,64}$/, 'a schema name');
const upperName = text(/^[A-Z][A-Z0-9_-]{0,63}$/, 'an upper-case name');
const printable = text(/^[\x20-\x7e]{1,512}$/, 'one line of plain text');
const contractAddress = text(/^0x[0-9a-f]{40}$/, '0x and 40 lowercase hex digits');
export const proofIdText = text(/^rp-proof-[0-9a-f]{64}$/, 'rp-proof- and 64 lowercase hex digits');
export const proofStatus = oneOf('ACTIVE', 'SUPERSEDED', 'REVOKED', 'INVALID');
export type ProofStatus = ReturnType<typeof proofStatus>;

/** RFC 3339 in UTC with milliseconds, with a valid date. */
export const instant: Reader<string> = (value, path) => {
  const isShaped = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(value);
  const time = isShaped ? new Date(value) : undefined;
  if (!isShaped || time === undefined || Number.isNaN(time.getTime()) || time.toISOString() !== value)
    throw new ShapeError(path, 'must be a UTC time with milliseconds');
  return value;
};

const entryShape = objectOf({
  name: printable,
  mediaType: printable,
  sha256: digestText,
  size: integer(0),
  required: flag,
  present: flag,
});
export type ProofEntryRecord = ReturnType<typeof entryShape>;

export const readProofManifest = objectOf({
  schemaVersion: schemaName,
  proofId: proofIdText,
  fileId: decimalId,
  fileVersion: integer(1),
  leafId: decimalId,
  batchNo: urlName,
  issuedAt: instant,
  issuedStatus: proofStatus,
  statusLocation: printable,
  signature: objectOf({
    algorithm: printable,
    keyId: urlName,
    keyVersion: integer(1),
    publicKeyFingerprint: digestText,
    verificationKeyLocation: printable,
  }),
  entries: arrayOf(entryShape, 6, 6),
});
export type ProofManifest = ReturnType<typeof readProofManifest>;

const proofChunkShape = objectOf({
  index: integer(0, maxChunks - 1),
  plainHash: digestText,
  cipherHash: digestText,
  /** Plaintext length, independent of the stored object's length. */
  size: integer(1),
  objectPath: storagePath,
  checksumAlgorithm: upperName,
});

export const readProofChunks = objectOf({
  schemaVersion: schemaName,
  fileId: decimalId,
  fileVersion: integer(1),
  contentHash: digestText,
  chainRecordId: hexHash,
  manifestHash: digestText,
  sourceSchema: schemaName,
  hashAlgorithm: upperName,
  chunkSize: integer(1),
  chunkCount: integer(1, maxChunks),
  totalSize: integer(1),
  encryptionAlgorithm: contentSuite,
  storageBackend,
  chunks: arrayOf(proofChunkShape, 1, maxChunks),
});
export type ProofChunks = ReturnType<typeof readProofChunks>;

export const readMerkleProof = objectOf({
  schemaVersion: schemaName,
  evidenceType: upperName,
  evidenceHash: digestText,
  proofAlgorithm: upperName,
  merkleRoot: hexHash,
  leafHash: hexHash,
  leafIndex: integer(0),
  treeSize: integer(1),
  proofPath: arrayOf(objectOf({ position: oneOf('LEFT', 'RIGHT'), hash: hexHash }), 0, 64),
});
export type MerkleProof = ReturnType<typeof readMerkleProof>;

export const readReceipt = objectOf(
  {
    schemaVersion: schemaName,
    chainRecordId: hexHash,
    batchChainRoot: hexHash,
    batchNo: urlName,
    blockNumber: integer(0),
    confirmationSource: oneOf('CHAIN_WRITE', 'CHAIN_QUERY_BEFORE_WRITE', 'CHAIN_QUERY_AFTER_WRITE'),
    contract: objectOf(
      { chainType: upperName, chainId: urlName, groupId: urlName, contractAddress },
      /** C2SP verifier key of the embedded ledger; chainId and contractAddress are derived from it. */
      { ledgerKey: printable },
    ),
  },
  { fileTransactionHash: transactionHash, batchTransactionHash: transactionHash },
);
export type Receipt = ReturnType<typeof readReceipt>;

/** Checks the record against its own shape, so that nothing is issued that a verifier would reject. */
export function entryBytes<T extends JsonValue>(read: Reader<T>, record: T): Uint8Array {
  read(record, '');
  return canonicalBytes(record);
}

export const statusLocationOf = (proofId: string): string => `/api/v1/public/proofs/${proofId}/status`;

export const keyLocationOf = (keyId: string, keyVersion: number): string =>
  `/api/v1/public/proof-keys/${keyId}/versions/${keyVersion}`;

const proofIdLabel = 'recordproof.proof-id.v3';

type ProvedRecord = {
  tenantId: string;
  fileId: string;
  fileVersion: number;
  leafId: string;
  chainRecordId: string;
};

/**
 * Deterministic per record, but not guessable, because the chain record id is random. The tenant is only in the hash.
 */
export function toProofId(record: ProvedRecord): string {
  const { tenantId, fileId, fileVersion, leafId, chainRecordId } = record;
  const fields = [proofIdLabel, tenantId, fileId, String(fileVersion), leafId, chainRecordId];
  if (fields.some(field => field === '' || field.includes('\n'))) throw new RangeError('a proof id needs plain ids');
  return `rp-proof-${toHex(sha256(toUtf8(fields.join('\n'))))}`;
}
