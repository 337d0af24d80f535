// Executes the worked examples of docs/spec: what a stranger reads there is what this library does.
import { expect, test } from 'vitest';
import { keyFromSeed, verifyEd25519 } from '../../../test/support/ed25519.ts';
import { readExample, readText } from '../../../test/support/spec-examples.ts';
import { writeZip } from '../../../test/support/zip.ts';
import { ledgerIdentity } from './chain-identity.ts';
import { openCheckpoint, signCheckpoint } from './checkpoint.ts';
import { buildChunkManifest, chunkManifestBytes } from './chunk-manifest.ts';
import { gcmChunkSuite, plainSuite, storedSize } from './content-suites.ts';
import { concatBytes, digestOf, parseDigest, parseHex, parseUtf8, toBase64, toHex, toUtf8 } from './digest.ts';
import { entryTransactionHash, ledgerEntryBytes, parseLedgerEntry } from './ledger-entry.ts';
import { buildMerkleTree, hashLeaf, hashNode, pathSides } from './merkle.ts';
import { proofEntryNames } from './proof-archive.ts';
import { buildProofEntries, leafOf } from './proof-builder.ts';
import { noteKeyId, toVerifierKey } from './signed-note.ts';
import { toBundlePath, toEntryBundle, toTilePath } from './tlog-tiles.ts';

const plain = readExample('manifest.md', 'plain');
const content = parseHex(plain('content'));
const chunkManifest = buildChunkManifest({
  fileHash: plain('fileHash'),
  chunkSize: Number(plain('chunkSize')),
  totalSize: content.length,
  storageBackend: plain('storageBackend'),
  encryptionAlgorithm: plainSuite,
  chunks: [0, 1, 2].map(index => {
    const hash = digestOf(content.slice(4 * index, 4 * index + 4));
    return { index, plainHash: hash, cipherHash: hash, storagePath: `${plain('storagePath prefix')}${index}` };
  }),
});

test('merkle.md: the batch of three', () => {
  const example = readExample('merkle.md', 'batch');
  const leaves = [0, 1, 2].map(i => hashLeaf(parseDigest(example(`manifestHash ${i}`))));
  expect(leaves.map(toHex)).toEqual([0, 1, 2].map(i => example(`leaf ${i}`)));
  const [left, right] = leaves;
  expect(toHex(hashNode(left ?? content, right ?? content))).toBe(example('node over 0 and 1'));
  const tree = buildMerkleTree(leaves);
  expect(toHex(tree.root)).toBe(example('merkleRoot'));
  for (const index of [0, 2]) {
    const steps = tree.pathOf(index).map((hash, step) => `${pathSides(index, 3)[step]} ${toHex(hash)}`);
    expect(steps.join(' ')).toBe(example(`path of ${index}`));
  }
});

test('manifest.md: the canonical form and its hash', () => {
  expect(digestOf(content)).toBe(plain('contentHash'));
  expect(digestOf(toUtf8(plain('canonical')))).toBe(plain('manifestHash'));
  expect(chunkManifest.manifestHash).toBe(plain('manifestHash'));
  const whole = parseUtf8(chunkManifestBytes(chunkManifest));
  expect(whole.replace(`"manifestHash":"${chunkManifest.manifestHash}",`, '')).toBe(plain('canonical'));
});

test('manifest.md: stored sizes of encrypted chunks', () => {
  const sizes = readExample('manifest.md', 'sizes');
  expect(storedSize(gcmChunkSuite, 1)).toBe(Number(sizes('1 byte of plaintext')));
  for (const size of [1048576, 1048577, 83886080])
    expect(storedSize(gcmChunkSuite, size)).toBe(Number(sizes(`${size} bytes of plaintext`)));
});

const log = readExample('ledger.md', 'log');
const logKey = keyFromSeed(parseHex(log('private key seed')));
const noteKey = { name: log('name'), publicKey: logKey.publicKey };
const ledgerEntries = [0, 1].map(i => toUtf8(log(`entry ${i}`)));

test('ledger.md: identity, entries and tiles', () => {
  expect(toHex(logKey.publicKey)).toBe(log('public key'));
  const identity = ledgerIdentity(logKey.publicKey);
  expect([identity.chainId, identity.contractAddress]).toEqual([log('chainId'), log('contractAddress')]);
  expect(toHex(noteKeyId(noteKey))).toBe(log('key id'));
  expect(toVerifierKey(noteKey)).toBe(log('verifier key'));
  for (const [i, entry] of ledgerEntries.entries()) {
    expect(ledgerEntryBytes(parseLedgerEntry(entry))).toEqual(entry);
    expect(entryTransactionHash(entry)).toBe(log(`transactionHash ${i}`));
  }
  const leaves = ledgerEntries.map(entry => hashLeaf(entry));
  expect(toHex(concatBytes(...leaves))).toBe(log(toTilePath({ level: 0, index: 0, width: 2 })));
  expect(toHex(toEntryBundle(ledgerEntries))).toBe(log(toBundlePath(0, 2)));
  expect(toHex(buildMerkleTree(leaves).root)).toBe(log('root'));
});

test('ledger.md: the checkpoint', async () => {
  const checkpoint = { origin: log('name'), size: 2, root: parseHex(log('root')) };
  const note = readText('ledger.md', 'checkpoint');
  expect(await openCheckpoint(toUtf8(note), noteKey, verifyEd25519)).toEqual(checkpoint);
  expect(parseUtf8(await signCheckpoint(checkpoint, [{ ...noteKey, sign: logKey.sign }]))).toBe(note);
});

test('proof-archive.md: every entry and the whole archive', async () => {
  const example = readExample('proof-archive.md', 'archive');
  const issuer = keyFromSeed(parseHex(example('issuer private key seed')));
  expect([toHex(issuer.publicKey), toBase64(issuer.spki), digestOf(issuer.spki)]).toEqual([
    example('issuer public key'),
    example('issuer SPKI'),
    example('issuer fingerprint'),
  ]);
  const leaf = leafOf(chunkManifest.manifestHash);
  expect(toHex(leaf)).toBe(example('leaf'));
  const tree = buildMerkleTree([parseHex(example('sibling leaf')), leaf]);
  expect(toHex(tree.root)).toBe(example('merkleRoot'));
  const entries = await buildProofEntries(
    {
      tenantId: example('tenantId'),
      fileId: example('fileId'),
      fileVersion: Number(example('fileVersion')),
      leafId: example('leafId'),
      issuedAt: example('issuedAt'),
      contentHash: plain('contentHash'),
      chunkManifest,
      merkle: { root: tree.root, leafIndex: 1, treeSize: 2, path: tree.pathOf(1) },
      receipt: {
        fileTransactionHash: log('transactionHash 0'),
        batchTransactionHash: log('transactionHash 1'),
        batchNo: 'MB-1',
        blockNumber: 1,
        confirmationSource: 'CHAIN_WRITE',
        contract: { ...ledgerIdentity(logKey.publicKey), ledgerKey: log('verifier key') },
      },
    },
    {
      keyId: example('issuer keyId'),
      keyVersion: Number(example('issuer keyVersion')),
      publicKeyFingerprint: example('issuer fingerprint'),
      sign: issuer.sign,
    },
  );
  for (const name of proofEntryNames.filter(name => name !== 'file.hash')) {
    const endsWithLine = name === 'README.verify.md' || name === 'issuer-signature.jws';
    expect(`${parseUtf8(entries[name])}${endsWithLine ? '' : '\n'}`, name).toBe(readText('proof-archive.md', name));
  }
  expect(parseUtf8(entries['manifest.json'])).toContain(example('proofId'));
  const archive = writeZip(proofEntryNames.map(name => ({ name, data: entries[name] })));
  expect(toHex(archive.slice(0, 43))).toBe(example('first local header and name'));
  expect(toHex(archive.slice(-22))).toBe(example('end record'));
  expect(archive.length).toBe(Number(example('archive size')));
  expect(digestOf(archive)).toBe(example('archive'));
});
