// Well-formed archives whose evidence does not hold together, and honest archives with the wrong file. Where a change
// is inside an entry, the issuer's own key has signed it: only the check that the vector names can refuse it.
import { canonicalBytes } from '@recordproof/shared/evidence/canonical-json.ts';
import { digestOf, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import type { ProofEntryName } from '@recordproof/shared/evidence/proof-archive.ts';
import { manifestOf } from '../../support/proofs.ts';
import { type Case, encryptedProof, lateContent, plainProof, textOf, toEntries, withEntry, zip } from './case.ts';
import { changed, type Loose, resigned, respelled } from './resign.ts';

const entries = toEntries(plainProof);
export const other = digestOf(toUtf8('something else'));
export const otherHex = other.slice(7);

export function invalid(name: string, why: string, archive: Case['archive'], check: string, code: string): Case {
  return { name, why, archive, trustedKey: 'issuer.json', expected: { outcome: 'INVALID', check, code } };
}

const inManifest = (name: string, why: string, change: (m: Loose) => unknown): Case =>
  invalid(`manifest-${name}`, why, changed(entries, 'manifest.json', change), 'manifest.contract', 'MANIFEST_CONTRACT');

const manifests: Case[] = [
  inManifest('schema', 'Another schema version.', m =>
    Object.assign(m, { schemaVersion: 'service-proof-manifest.v1' }),
  ),
  inManifest('issued-revoked', 'Issued as revoked.', m => Object.assign(m, { issuedStatus: 'REVOKED' })),
  inManifest('algorithm', 'Another signature algorithm is announced.', m =>
    Object.assign(m.signature, { algorithm: 'none' }),
  ),
  inManifest('status-elsewhere', "The status is to be asked at an attacker's address.", m =>
    Object.assign(m, { statusLocation: 'https://attacker.example/status' }),
  ),
  inManifest('key-elsewhere', "The key is to be fetched from an attacker's address.", m =>
    Object.assign(m.signature, { verificationKeyLocation: 'https://attacker.example/key' }),
  ),
  inManifest('status-of-other-proof', 'The status of another proof is to be asked.', m =>
    Object.assign(m, { statusLocation: m.statusLocation.replace(/[0-9a-f]{8}\/status/, '00000000/status') }),
  ),
  inManifest('entries-reordered', 'The entries are listed in another order.', m => m.entries.reverse()),
  inManifest('entry-twice', 'One entry is listed twice, another not at all.', m =>
    m.entries.splice(5, 1, m.entries[0]),
  ),
  inManifest('entry-optional', 'An entry is listed as not required.', m =>
    Object.assign(m.entries[2], { required: false }),
  ),
  inManifest('entry-absent', 'An entry is listed as absent.', m => Object.assign(m.entries[2], { present: false })),
  inManifest('media-type', 'An entry of another media type.', m =>
    Object.assign(m.entries[0], { mediaType: 'text/html' }),
  ),
];

const stale = (name: ProofEntryName, data: Uint8Array | string) => zip(withEntry(entries, name, data));

const digests: Case[] = [
  invalid(
    'digest-two-faults',
    'The first listed entry has another digest, the second another size: the first one counts.',
    changed(entries, 'manifest.json', m => {
      m.entries[0].sha256 = other;
      m.entries[1].size += 1;
    }),
    'manifest.entry-digests',
    'ENTRY_DIGEST_MISMATCH',
  ),
  invalid(
    'digest-size-and-digest',
    'An entry has another size and another digest: its size is looked at first.',
    changed(entries, 'manifest.json', m => Object.assign(m.entries[0], { sha256: other, size: 1 })),
    'manifest.entry-digests',
    'ENTRY_SIZE_MISMATCH',
  ),
  invalid(
    'digest-not-listed',
    'One entry is listed twice, so another is not listed at all.',
    changed(entries, 'manifest.json', m => m.entries.splice(5, 1, m.entries[0])),
    'manifest.entry-digests',
    'ENTRY_NOT_LISTED',
  ),
  invalid(
    'digest-of-entry',
    'One digit of the receipt was changed; the manifest still lists the old digest.',
    stale('blockchain-receipt.json', textOf(entries, 'blockchain-receipt.json').replace('4711', '4712')),
    'manifest.entry-digests',
    'ENTRY_DIGEST_MISMATCH',
  ),
  invalid(
    'digest-size',
    'The manifest lists another size.',
    changed(entries, 'manifest.json', m => Object.assign(m.entries[1], { size: 1 })),
    'manifest.entry-digests',
    'ENTRY_SIZE_MISMATCH',
  ),
  invalid(
    'digest-listed-wrong',
    'The manifest lists another digest.',
    changed(entries, 'manifest.json', m => Object.assign(m.entries[1], { sha256: other })),
    'manifest.entry-digests',
    'ENTRY_DIGEST_MISMATCH',
  ),
  invalid(
    'policy-changed',
    'The policy was softened.',
    respelled(entries, 'verification-policy.json', text => text.replace('INDETERMINATE', 'VALID')),
    'policy.contract',
    'POLICY_CHANGED',
  ),
  invalid(
    'readme-changed',
    'The instructions send the reader elsewhere.',
    respelled(entries, 'README.verify.md', text => `${text}\nOr simply ask https://attacker.example.\n`),
    'policy.readme',
    'README_CHANGED',
  ),
];

const inChunks = (name: string, why: string, change: (c: Loose) => unknown, code = 'CHUNKS_CONTRACT'): Case =>
  invalid(`chunks-${name}`, why, changed(entries, 'chunk-manifest.json', change), 'chunks.contract', code);

const swapHashes = (c: Loose) => {
  const [a, b] = c.chunks;
  [a.plainHash, b.plainHash] = [b.plainHash, a.plainHash];
  [a.cipherHash, b.cipherHash] = [b.cipherHash, a.cipherHash];
};

const chunks: Case[] = [
  inChunks('schema', 'Another schema version.', c =>
    Object.assign(c, { schemaVersion: 'service-proof-chunk-manifest.v9' }),
  ),
  inChunks('source-schema', 'Another source schema.', c =>
    Object.assign(c, { sourceSchema: 'recordproof.chunk-manifest.v2' }),
  ),
  inChunks('hash-algorithm', 'Another hash algorithm.', c => Object.assign(c, { hashAlgorithm: 'MD5' })),
  inChunks('other-file', 'The chunks of another file.', c => Object.assign(c, { fileId: '43' })),
  inChunks('other-version', 'The chunks of another version.', c => Object.assign(c, { fileVersion: 2 })),
  inChunks('count', 'The count differs from the list.', c => Object.assign(c, { chunkCount: 4 })),
  inChunks('reordered', 'Two chunks changed places.', c => c.chunks.reverse()),
  inChunks('missing', 'A chunk is missing.', c => c.chunks.pop()),
  inChunks('index-gap', 'The indexes have a gap.', c => Object.assign(c.chunks[2], { index: 3 })),
  inChunks('total-size', 'A total that the chunks do not reach.', c => Object.assign(c, { totalSize: 5000 })),
  inChunks('chunk-size', 'A chunk of a size that does not follow.', c => Object.assign(c.chunks[0], { size: 999 })),
  inChunks('checksum-algorithm', 'A chunk under another algorithm.', c =>
    Object.assign(c.chunks[0], { checksumAlgorithm: 'CRC32' }),
  ),
  inChunks('two-hashes', 'Bytes stored as they are, with two hashes.', c =>
    Object.assign(c.chunks[0], { cipherHash: other }),
  ),
  inChunks('hashes-swapped', 'Two chunks exchanged their hashes.', swapHashes, 'MANIFEST_HASH_MISMATCH'),
  inChunks(
    'object-path',
    'A chunk from another object.',
    c => Object.assign(c.chunks[0], { objectPath: 't1/objects/x' }),
    'MANIFEST_HASH_MISMATCH',
  ),
  inChunks(
    'record-id',
    'The chunks of another chain record.',
    c => Object.assign(c, { chainRecordId: otherHex }),
    'MANIFEST_HASH_MISMATCH',
  ),
  inChunks(
    'backend',
    'Another storage backend.',
    c => Object.assign(c, { storageBackend: 'S3' }),
    'MANIFEST_HASH_MISMATCH',
  ),
  inChunks(
    'algorithm-relabelled',
    'Plain chunks relabelled as encrypted.',
    c => Object.assign(c, { encryptionAlgorithm: 'RP-AES256-GCM-CHUNK-CHAIN-V1' }),
    'MANIFEST_HASH_MISMATCH',
  ),
  invalid(
    'chunks-encrypted-hash',
    'The stored hash of an encrypted chunk was changed.',
    changed(toEntries(encryptedProof), 'chunk-manifest.json', c => Object.assign(c.chunks[0], { cipherHash: other })),
    'chunks.contract',
    'MANIFEST_HASH_MISMATCH',
  ),
  {
    ...invalid(
      'chunks-leaf-of-other-file',
      'The issuer signed an anchored leaf over a file that came later; only the rebuilt manifest tells.',
      leafOfAnotherFile(),
      'chunks.contract',
      'MANIFEST_HASH_MISMATCH',
    ),
    original: 'late.bin',
  },
];

/** Old anchoring, new content: everything is consistent and signed but the tie between chunks and leaf. */
async function leafOfAnotherFile(): Promise<Uint8Array> {
  const chunks = JSON.parse(textOf(entries, 'chunk-manifest.json'));
  const late = manifestOf({ content: lateContent, chunkSize: 1000 });
  chunks.contentHash = digestOf(lateContent);
  chunks.chunks = late.chunks.map(({ storagePath, storageBackend: _, ...chunk }) => ({
    ...chunk,
    objectPath: storagePath,
  }));
  const next = withEntry(entries, 'chunk-manifest.json', canonicalBytes(chunks));
  return zip(await resigned(withEntry(next, 'file.hash', `${chunks.contentHash}\n`)));
}

const withFile = (
  name: string,
  why: string,
  original: string,
  check: string,
  code: string,
  proof = plainProof,
): Case => ({
  ...invalid(`content-${name}`, why, zip(toEntries(proof)), check, code),
  original,
});

const contents: Case[] = [
  withFile(
    'one-bit',
    'One bit of the file is different.',
    'one-bit-changed.bin',
    'content.original',
    'CONTENT_HASH_MISMATCH',
  ),
  withFile(
    'one-bit-chunk',
    'One bit of the second chunk is different.',
    'one-bit-changed.bin',
    'content.chunk-hashes',
    'CHUNK_HASH_MISMATCH',
  ),
  withFile(
    'one-bit-encrypted',
    'One bit is different, the upload was encrypted.',
    'one-bit-changed.bin',
    'content.original',
    'CONTENT_HASH_MISMATCH',
    encryptedProof,
  ),
  withFile('shorter', 'The last byte is missing.', 'one-byte-shorter.bin', 'content.size', 'CONTENT_SIZE_MISMATCH'),
  withFile('longer', 'One byte was appended.', 'one-byte-longer.bin', 'content.size', 'CONTENT_SIZE_MISMATCH'),
  withFile('empty', 'An empty file.', 'empty.bin', 'content.chunk-hashes', 'CHUNK_COUNT_MISMATCH'),
  withFile(
    'chunks-swapped',
    'Two chunks of the file changed places.',
    'chunks-swapped.bin',
    'content.chunk-hashes',
    'CHUNK_HASH_MISMATCH',
  ),
  withFile(
    'another-file',
    'Another file of the same size.',
    'another-file.bin',
    'content.file-hash',
    'FILE_HASH_MISMATCH',
  ),
  invalid(
    'content-hash-claimed',
    'The recorded content hash is not that of the chunks.',
    changed(entries, 'chunk-manifest.json', c => Object.assign(c, { contentHash: other })),
    'content.original',
    'CONTENT_HASH_MISMATCH',
  ),
  invalid(
    'file-hash-other',
    'file.hash names another file.',
    respelled(entries, 'file.hash', () => `${other}\n`),
    'content.file-hash',
    'FILE_HASH_ENTRY_MISMATCH',
  ),
  invalid(
    'file-hash-no-line-feed',
    'file.hash without its line feed.',
    respelled(entries, 'file.hash', text => text.trimEnd()),
    'content.file-hash',
    'FILE_HASH_ENTRY_MISMATCH',
  ),
  invalid(
    'file-hash-upper-case',
    'file.hash in upper case.',
    respelled(entries, 'file.hash', text => text.toUpperCase()),
    'content.file-hash',
    'FILE_HASH_ENTRY_MISMATCH',
  ),
];

export const evidenceCases: readonly Case[] = [...manifests, ...digests, ...chunks, ...contents];
