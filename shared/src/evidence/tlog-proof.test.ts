// Inclusion proofs of log entries in one text file: round trip, extra data, wrong paths.
import { expect, test } from 'vitest';
import { testSigner } from '../../../test/support/note-keys.ts';
import { signCheckpoint } from './checkpoint.ts';
import { parseUtf8, toUtf8 } from './digest.ts';
import { buildMerkleTree, hashLeaf } from './merkle.ts';
import { isProofOf, parseTlogProof, writeTlogProof } from './tlog-proof.ts';

const log = testSigner('ED25519', 'ledger.example/log');
const entries = Array.from({ length: 21 }, (_, at) => toUtf8(`entry ${at}`));
const tree = buildMerkleTree(entries.map(entry => hashLeaf(entry)));
const checkpoint = await signCheckpoint({ origin: log.name, size: entries.length, root: tree.root }, [log]);

const proofOf = (index: number) =>
  writeTlogProof({ index, path: tree.pathOf(index), extra: entries[index] ?? toUtf8(''), checkpoint });

test('every entry has a proof that is read as written and shows this entry only', () => {
  for (const index of entries.keys()) {
    const bytes = proofOf(index);
    const proof = parseTlogProof(bytes);
    expect(writeTlogProof(proof)).toEqual(bytes);
    for (const [at, entry] of entries.entries())
      expect([index, at, isProofOf(hashLeaf(entry), proof)]).toEqual([index, at, index === at]);
  }
});

test('extra data is optional, and a tree of one entry has no path', async () => {
  const [leaf = checkpoint] = entries.map(entry => hashLeaf(entry));
  const one = await signCheckpoint({ origin: log.name, size: 1, root: leaf }, [log]);
  const proof = parseTlogProof(writeTlogProof({ index: 0, path: [], checkpoint: one }));
  expect([proof.extra, proof.path, isProofOf(leaf, proof)]).toEqual([undefined, [], true]);
});

const good = parseUtf8(proofOf(5));
const [first = '', extra = '', index = '', ...rest] = good.split('\n');
const hash = rest[0] ?? '';

test.each([
  ['another first line', good.replace('@v1', '@v2')],
  ['a byte order mark', `\ufeff${good}`],
  ['a carriage return', good.replace('\n', '\r\n')],
  ['no index', [first, extra, ...rest].join('\n')],
  ['an index with a leading zero', good.replace('index 5', 'index 05')],
  ['an index above the number range', good.replace('index 5', 'index 9007199254740992')],
  ['extra data behind the index', [first, index, extra, ...rest].join('\n')],
  ['extra data twice', [first, extra, extra, index, ...rest].join('\n')],
  ['empty extra data', good.replace(extra, 'extra ')],
  ['another encoding of the extra data', good.replace(extra, `${extra}=`)],
  ['too much extra data', good.replace(extra, `extra ${'A'.repeat(4 * 21_846)}`)],
  ['a short hash', good.replace(hash, 'AAAA')],
  ['spare bits in a hash', good.replace(hash, hash.replace(/.=$/, 'B='))],
  ['a path that is too long', good.replace(hash, Array(64).fill(hash).join('\n'))],
  ['no empty line', good.replace('\n\n', '\n')],
  ['no signature', good.slice(0, good.lastIndexOf('\n\n') + 1)],
  ['text after the last line', `${good}x`],
  ['a malformed checkpoint', good.replace(/\n21\n/, '\n-21\n')],
])('a proof with %s is rejected', (_, text) => {
  expect(() => parseTlogProof(toUtf8(text))).toThrow(RangeError);
});

test('a path to another root, with a wrong length or of another position shows nothing', () => {
  const proof = parseTlogProof(toUtf8(good));
  const leaf = hashLeaf(entries[5] ?? toUtf8(''));
  expect(isProofOf(leaf, proof)).toBe(true);
  for (const changed of [
    { ...proof, index: 4 },
    { ...proof, index: 21 },
    { ...proof, path: proof.path.slice(1) },
    { ...proof, path: [...proof.path, tree.root] },
    { ...proof, path: proof.path.toReversed() },
    { ...proof, tree: { ...proof.tree, size: 33 } },
  ])
    expect(isProofOf(leaf, changed)).toBe(false);
});
