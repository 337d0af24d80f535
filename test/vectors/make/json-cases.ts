// Entries whose JSON is almost right. All are listed and signed by the issuer's own key: what refuses them is the
// strict reader, and nothing else.
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import type { ProofEntryName } from '@recordproof/shared/evidence/proof-archive.ts';
import { type Case, plainProof, toEntries } from './case.ts';
import { respelled } from './resign.ts';

const entries = toEntries(plainProof);

export function bad(
  name: string,
  why: string,
  entry: ProofEntryName,
  change: (text: string) => string | Uint8Array,
  code: string,
): Case {
  const expected = { outcome: 'ERROR', check: `json.${entry}`, code } as const;
  return { name: `json-${name}`, why, archive: respelled(entries, entry, change), trustedKey: 'issuer.json', expected };
}

const chunks = 'chunk-manifest.json';
const merkle = 'merkle-proof.json';
const receipt = 'blockchain-receipt.json';
const manifest = 'manifest.json';
const member = (text: string) => (json: string) => `${json.slice(0, -1)},${text}}`;
const first = (text: string) => (json: string) => `{${text},${json.slice(1)}`;
const swap = (from: string | RegExp, to: string) => (json: string) => json.replace(from, to);

const doubled: Case[] = [
  bad(
    'field-twice',
    'A field stands twice; readers disagree on which counts.',
    chunks,
    first('"chunkCount":3'),
    'JSON_DUPLICATE_FIELD',
  ),
  bad(
    'field-twice-escaped',
    'The same field once more, spelled with an escape.',
    chunks,
    member('"\\u0063hunkCount":3'),
    'JSON_DUPLICATE_FIELD',
  ),
  bad(
    'field-twice-in-chunk',
    'A field stands twice deep inside.',
    chunks,
    swap('"index":1', '"index":1,"index":1'),
    'JSON_DUPLICATE_FIELD',
  ),
  bad(
    'field-twice-in-manifest',
    'The signed manifest names two proofs.',
    manifest,
    first('"proofId":"rp-proof-0"'),
    'JSON_DUPLICATE_FIELD',
  ),
  bad(
    'proto-twice',
    'The field __proto__ twice.',
    merkle,
    member('"__proto__":{},"__proto__":{}'),
    'JSON_DUPLICATE_FIELD',
  ),
];

const shapes: Case[] = [
  bad('unknown-field', 'A field that the schema does not name.', receipt, member('"zone":1'), 'JSON_SHAPE'),
  bad(
    'unknown-field-in-chunk',
    'An unknown field deep inside.',
    chunks,
    swap('"size":500}', '"size":500,"sizes":1}'),
    'JSON_SHAPE',
  ),
  bad('proto-field', 'A field named __proto__.', merkle, first('"__proto__":{"treeSize":1}'), 'JSON_SHAPE'),
  bad('field-missing', 'A required field is missing.', merkle, swap('"leafIndex":2,', ''), 'JSON_SHAPE'),
  bad(
    'null',
    'A field is null instead of absent.',
    receipt,
    swap(/"fileTransactionHash":"[^"]*"/, '"fileTransactionHash":null'),
    'JSON_SHAPE',
  ),
  bad('number-as-text', 'A number written as text.', merkle, swap('"treeSize":7', '"treeSize":"7"'), 'JSON_SHAPE'),
  bad('text-as-number', 'An id written as a number.', manifest, swap('"fileId":"42"', '"fileId":42'), 'JSON_SHAPE'),
  bad('list-instead-of-object', 'The document is a list.', merkle, text => `[${text}]`, 'JSON_SHAPE'),
  bad('negative-index', 'A negative leaf index.', merkle, swap('"leafIndex":2', '"leafIndex":-2'), 'JSON_SHAPE'),
  bad(
    'fraction',
    'A fraction where a whole number belongs.',
    merkle,
    swap('"leafIndex":2', '"leafIndex":2.5'),
    'JSON_SHAPE',
  ),
  bad(
    'beyond-safe-integers',
    'A whole number that loses digits.',
    merkle,
    swap('"treeSize":7', '"treeSize":9007199254740992'),
    'JSON_SHAPE',
  ),
  bad(
    'upper-case-hash',
    'A hash in upper case.',
    merkle,
    text => text.replace(/"leafHash":"([^"]*)"/, (_, hash) => `"leafHash":"${hash.toUpperCase()}"`),
    'JSON_SHAPE',
  ),
  bad(
    'digest-without-algorithm',
    'A digest without its algorithm.',
    chunks,
    swap('"contentHash":"sha256:', '"contentHash":"'),
    'JSON_SHAPE',
  ),
  bad(
    'path-climbs',
    'An object path with two dots.',
    chunks,
    swap('"objectPath":"t1/objects/', '"objectPath":"t1/../objects/'),
    'JSON_SHAPE',
  ),
  bad(
    'name-for-other-address',
    'A batch number that would change an address.',
    receipt,
    swap('"batchNo":"MB-17"', '"batchNo":"../MB-17"'),
    'JSON_SHAPE',
  ),
  bad(
    'unknown-algorithm',
    'An encryption algorithm nobody knows.',
    chunks,
    swap('"encryptionAlgorithm":"NONE"', '"encryptionAlgorithm":"ROT13"'),
    'JSON_SHAPE',
  ),
  bad(
    'impossible-day',
    'Issued on a day that does not exist.',
    manifest,
    swap('2026-01-31T', '2026-02-31T'),
    'JSON_SHAPE',
  ),
  bad(
    'five-entries',
    'The manifest lists five entries.',
    manifest,
    swap(/"entries":\[\{[^}]*\},/, '"entries":['),
    'JSON_SHAPE',
  ),
  bad(
    'no-chunks',
    'A file of no chunks.',
    chunks,
    swap(/"chunks":\[.*\],"contentHash"/, '"chunks":[],"contentHash"'),
    'JSON_SHAPE',
  ),
];

const spellings: Case[] = [
  bad('line-feed-behind', 'A line feed behind the document.', chunks, text => `${text}\n`, 'JSON_NOT_CANONICAL'),
  bad('space-inside', 'A space after a colon.', chunks, swap('":', '": '), 'JSON_NOT_CANONICAL'),
  bad(
    'fields-unsorted',
    'Fields in another order.',
    merkle,
    text => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse())),
    'JSON_NOT_CANONICAL',
  ),
  bad(
    'escaped-letter',
    'A letter spelled as an escape.',
    chunks,
    swap('"SHA-256"', '"\\u0053HA-256"'),
    'JSON_NOT_CANONICAL',
  ),
  bad(
    'escaped-slash',
    'A slash spelled as an escape.',
    chunks,
    swap('t1/objects', 't1\\/objects'),
    'JSON_NOT_CANONICAL',
  ),
  bad(
    'exponent',
    'A number with an exponent.',
    chunks,
    swap('"chunkSize":1000', '"chunkSize":1e3'),
    'JSON_NOT_CANONICAL',
  ),
  bad(
    'decimal-point',
    'A whole number with a decimal point.',
    merkle,
    swap('"treeSize":7', '"treeSize":7.0'),
    'JSON_NOT_CANONICAL',
  ),
  bad('minus-zero', 'Minus zero.', chunks, swap('"index":0', '"index":-0'), 'JSON_NOT_CANONICAL'),
  bad(
    'manifest-respelled',
    'The signed manifest with spaces.',
    manifest,
    text => JSON.stringify(JSON.parse(text), null, 1),
    'JSON_NOT_CANONICAL',
  ),
];

const syntax: Case[] = [
  bad('second-value', 'A second document behind the first.', chunks, text => text + text, 'JSON_TRAILING_TOKEN'),
  bad('trailing-bracket', 'A bracket too many.', merkle, text => `${text}}`, 'JSON_TRAILING_TOKEN'),
  bad('cut-off', 'The end is missing.', merkle, text => text.slice(0, -1), 'JSON_SYNTAX'),
  bad('empty', 'An empty entry.', receipt, () => '', 'JSON_SYNTAX'),
  bad('comment', 'A comment.', receipt, text => `/* ok */${text}`, 'JSON_SYNTAX'),
  bad('single-quotes', 'Single quotes.', receipt, text => text.replaceAll('"', "'"), 'JSON_SYNTAX'),
  bad('trailing-comma', 'A comma before the end.', receipt, text => `${text.slice(0, -1)},}`, 'JSON_SYNTAX'),
  bad('not-a-number', 'NaN.', merkle, swap('"treeSize":7', '"treeSize":NaN'), 'JSON_SYNTAX'),
  bad('leading-zero', 'A number with a leading zero.', merkle, swap('"treeSize":7', '"treeSize":07'), 'JSON_SYNTAX'),
  bad('control-character', 'A line feed inside a string.', receipt, swap('MB-17', 'MB\n17'), 'JSON_SYNTAX'),
  bad('byte-order-mark', 'A byte order mark.', chunks, text => `\ufeff${text}`, 'JSON_SYNTAX'),
  bad(
    'not-utf8',
    'A byte that is not UTF-8.',
    receipt,
    text => Uint8Array.from([...toUtf8(text), 0xff]),
    'JSON_NOT_UTF8',
  ),
  bad(
    'overlong-utf8',
    'A slash in overlong UTF-8.',
    receipt,
    text => Buffer.from(text.replace('MB-17', 'MB\u00ff17'), 'latin1').fill(0xc0, 0, 1),
    'JSON_NOT_UTF8',
  ),
  bad('half-character', 'Half a surrogate pair.', receipt, swap('MB-17', 'MB\\ud83d17'), 'JSON_LONE_SURROGATE'),
  bad('policy-not-json', 'The policy is no JSON.', 'verification-policy.json', () => 'valid: always', 'JSON_SYNTAX'),
];

const limits: Case[] = [
  bad('depth-65', 'Sixty-five levels.', receipt, () => '['.repeat(65) + ']'.repeat(65), 'JSON_TOO_DEEP'),
  bad(
    'number-129-digits',
    'A number of 129 digits.',
    merkle,
    swap('"treeSize":7', `"treeSize":${'1'.repeat(129)}`),
    'JSON_NUMBER_TOO_LONG',
  ),
  bad(
    'number-infinite',
    'A number beyond all bounds.',
    merkle,
    swap('"treeSize":7', '"treeSize":1e999'),
    'JSON_NUMBER_OUT_OF_RANGE',
  ),
  bad(
    'string-too-long',
    'A string of 256 KiB and one byte.',
    receipt,
    swap('MB-17', 'M'.repeat(262145)),
    'JSON_STRING_TOO_LONG',
  ),
];

export const jsonCases: readonly Case[] = [...doubled, ...shapes, ...spellings, ...syntax, ...limits];
