// The proof builder: the eight entries of a proof from stored evidence (docs/spec/proof-archive.md). Deterministic for
// equal evidence, time and key. Inconsistent evidence is rejected before anything is signed.
import { type ChunkManifest, plainSizeOf } from './chunk-manifest.ts';
import { digestOf, parseDigest, toHex, toUtf8 } from './digest.ts';
import type { SignEd25519 } from './ed25519.ts';
import { joinJws, jwsAlgorithm, signInput, toJwsHeader, toSigningInput } from './jws.ts';
import { hashLeaf, isIncluded, merkleSuite, pathSides } from './merkle.ts';
import { type ProofEntries, type ProofEntryName, proofEntryNames } from './proof-archive.ts';
import {
  entryBytes,
  keyLocationOf,
  manifestHashEvidence,
  merkleProofSchema,
  type ProofEntryRecord,
  type ProofManifest,
  proofChunksSchema,
  proofManifestSchema,
  type Receipt,
  readMerkleProof,
  readProofChunks,
  readProofManifest,
  readReceipt,
  receiptSchema,
  statusLocationOf,
  toProofId,
} from './proof-entries.ts';
import { readmeBytes, verificationPolicyBytes } from './proof-texts.ts';

export type ProofEvidence = {
  /** For a proof that was signed before, possibly by an older rule; by default derived from the record. */
  proofId?: string;
  tenantId: string;
  fileId: string;
  fileVersion: number;
  leafId: string;
  issuedAt: string;
  contentHash: string;
  chunkManifest: ChunkManifest;
  merkle: { root: Uint8Array; leafIndex: number; treeSize: number; path: readonly Uint8Array[] };
  receipt: Omit<Receipt, 'schemaVersion' | 'chainRecordId' | 'batchChainRoot'>;
};

export type ProofKey = { keyId: string; keyVersion: number; publicKeyFingerprint: string };
type ProofSigner = ProofKey & { sign: SignEd25519 };

type UnsignedName = Exclude<ProofEntryName, 'manifest.json' | 'issuer-signature.jws'>;
type UnsignedEntries = Readonly<Record<UnsignedName, Uint8Array>>;

export const mediaTypes: Readonly<Record<UnsignedName, string>> = {
  'file.hash': 'text/plain',
  'chunk-manifest.json': 'application/json',
  'merkle-proof.json': 'application/json',
  'blockchain-receipt.json': 'application/json',
  'verification-policy.json': 'application/json',
  'README.verify.md': 'text/markdown',
};

/** The entries listed in manifest.json, in order. */
export const listedEntryNames = proofEntryNames.filter((name): name is UnsignedName => Object.hasOwn(mediaTypes, name));

/** Everything but the signature; `manifest.json` contains the bytes to be signed. */
export type UnsignedProof = Omit<ProofEntries, 'issuer-signature.jws'>;

export function buildUnsignedProof(evidence: ProofEvidence, key: ProofKey): UnsignedProof {
  const unsigned = buildUnsigned(evidence);
  return { ...unsigned, 'manifest.json': entryBytes(readProofManifest, buildManifest(evidence, key, unsigned)) };
}

/** The text that the signature of a proof covers. */
export const toProofSigningInput = (proof: UnsignedProof, { keyId, keyVersion }: ProofKey): string =>
  toSigningInput(toJwsHeader(keyId, keyVersion), proof['manifest.json']);

export async function buildProofEntries(evidence: ProofEvidence, signer: ProofSigner): Promise<ProofEntries> {
  const proof = buildUnsignedProof(evidence, signer);
  const signingInput = toProofSigningInput(proof, signer);
  return { ...proof, 'issuer-signature.jws': joinJws(signingInput, await signInput(signingInput, signer.sign)) };
}

function buildUnsigned(evidence: ProofEvidence): UnsignedEntries {
  return {
    'file.hash': toUtf8(`${evidence.contentHash}\n`),
    'chunk-manifest.json': buildChunks(evidence),
    'merkle-proof.json': buildMerkle(evidence),
    'blockchain-receipt.json': buildReceipt(evidence),
    'verification-policy.json': verificationPolicyBytes,
    'README.verify.md': readmeBytes,
  };
}

function buildChunks(evidence: ProofEvidence): Uint8Array {
  const manifest = evidence.chunkManifest;
  if (manifest.merkleRoot !== undefined) throw new RangeError('a proof cannot restate a manifest with a merkleRoot');
  return entryBytes(readProofChunks, {
    schemaVersion: proofChunksSchema,
    fileId: evidence.fileId,
    fileVersion: evidence.fileVersion,
    contentHash: evidence.contentHash,
    chainRecordId: manifest.fileHash,
    manifestHash: manifest.manifestHash,
    sourceSchema: manifest.schema,
    hashAlgorithm: manifest.hashAlgorithm,
    chunkSize: manifest.chunkSize,
    chunkCount: manifest.chunks.length,
    totalSize: manifest.totalSize,
    encryptionAlgorithm: manifest.encryptionAlgorithm,
    storageBackend: manifest.storageBackend,
    chunks: manifest.chunks.map(chunk => ({
      index: chunk.index,
      plainHash: chunk.plainHash,
      cipherHash: chunk.cipherHash,
      size: plainSizeOf(chunk),
      objectPath: chunk.storagePath,
      checksumAlgorithm: chunk.checksumAlgorithm,
    })),
  });
}

function buildMerkle({ chunkManifest, merkle }: ProofEvidence): Uint8Array {
  const leafHash = leafOf(chunkManifest.manifestHash);
  if (!isIncluded(leafHash, merkle.leafIndex, merkle.treeSize, merkle.path, merkle.root))
    throw new RangeError('the Merkle path does not lead from this manifest to the root');
  const sides = pathSides(merkle.leafIndex, merkle.treeSize);
  return entryBytes(readMerkleProof, {
    schemaVersion: merkleProofSchema,
    evidenceType: manifestHashEvidence,
    evidenceHash: chunkManifest.manifestHash,
    proofAlgorithm: merkleSuite,
    merkleRoot: toHex(merkle.root),
    leafHash: toHex(leafHash),
    leafIndex: merkle.leafIndex,
    treeSize: merkle.treeSize,
    proofPath: merkle.path.map((hash, step) => ({ position: sides[step] ?? 'LEFT', hash: toHex(hash) })),
  });
}

function buildReceipt({ receipt, chunkManifest, merkle }: ProofEvidence): Uint8Array {
  return entryBytes(readReceipt, {
    ...receipt,
    schemaVersion: receiptSchema,
    chainRecordId: chunkManifest.fileHash,
    batchChainRoot: toHex(merkle.root),
  });
}

function buildManifest(evidence: ProofEvidence, signer: ProofKey, unsigned: UnsignedEntries): ProofManifest {
  const { proofId = toProofId({ ...evidence, chainRecordId: evidence.chunkManifest.fileHash }) } = evidence;
  return {
    schemaVersion: proofManifestSchema,
    proofId,
    fileId: evidence.fileId,
    fileVersion: evidence.fileVersion,
    leafId: evidence.leafId,
    batchNo: evidence.receipt.batchNo,
    issuedAt: evidence.issuedAt,
    issuedStatus: 'ACTIVE',
    statusLocation: statusLocationOf(proofId),
    signature: {
      algorithm: jwsAlgorithm,
      keyId: signer.keyId,
      keyVersion: signer.keyVersion,
      publicKeyFingerprint: signer.publicKeyFingerprint,
      verificationKeyLocation: keyLocationOf(signer.keyId, signer.keyVersion),
    },
    entries: listedEntryNames.map(name => recordOf(name, unsigned[name])),
  };
}

function recordOf(name: UnsignedName, bytes: Uint8Array): ProofEntryRecord {
  return {
    name,
    mediaType: mediaTypes[name],
    sha256: digestOf(bytes),
    size: bytes.length,
    required: true,
    present: true,
  };
}

/** The chunk manifest's hash as the 32 bytes of a leaf. */
export const leafOf = (manifestHash: string): Uint8Array => hashLeaf(parseDigest(manifestHash));
