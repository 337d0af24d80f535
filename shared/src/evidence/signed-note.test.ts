// Signed notes and checkpoints: notes of other implementations, several signatures, verifier keys, malformed text.
import { expect, test } from 'vitest';
import { testKey, verifyEd25519 } from '../../../test/support/ed25519.ts';
import { openCheckpoint, parseCheckpointText, signCheckpoint, toCheckpointText } from './checkpoint.ts';
import { parseUtf8, sha256, toUtf8 } from './digest.ts';
import { openSignedNote, parseSignedNote, parseVerifierKey, signNote, toVerifierKey } from './signed-note.ts';

const log = testKey('log');
const witness = testKey('witness');
const logKey = { name: 'ledger.example/log', publicKey: log.publicKey };
const witnessKey = { name: 'witness.example', publicKey: witness.publicKey };
const signers = [
  { ...logKey, sign: log.sign },
  { ...witnessKey, sign: witness.sign },
];
const root = sha256(toUtf8('root'));

// The example of the Go implementation that the format comes from.
const outsideKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const outsideNote =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n" +
  '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

test('a note signed by another implementation is opened', async () => {
  const key = parseVerifierKey(outsideKey);
  expect(toVerifierKey(key)).toBe(outsideKey);
  const text = await openSignedNote(toUtf8(outsideNote), key, verifyEd25519);
  expect(text.startsWith('If you think')).toBe(true);
});

test('a checkpoint signed by the log and a witness opens with either key', async () => {
  const note = await signCheckpoint({ origin: logKey.name, size: 5, root }, signers);
  expect(await openCheckpoint(note, logKey, verifyEd25519)).toEqual({ origin: logKey.name, size: 5, root });
  expect(await openSignedNote(note, witnessKey, verifyEd25519)).toContain('\n5\n');
});

test('a checkpoint stays readable with fifteen large signatures of unknown types', async () => {
  const large = Array.from({ length: 15 }, (_, i) => ({
    name: `witness-${i}.example`,
    publicKey: witness.publicKey,
    sign: async () => new Uint8Array(5000),
  }));
  const [own] = signers;
  if (own === undefined) throw new Error('no signer');
  const note = await signCheckpoint({ origin: logKey.name, size: 5, root }, [...large, own]);
  expect(await openCheckpoint(note, logKey, verifyEd25519)).toMatchObject({ size: 5 });
});

test('a checkpoint of another log is rejected', async () => {
  const note = await signCheckpoint({ origin: 'other.example/log', size: 5, root }, signers);
  await expect(openCheckpoint(note, logKey, verifyEd25519)).rejects.toThrow('another log');
});

test('a note without a signature of the key, or with a wrong one, is rejected', async () => {
  const note = parseUtf8(await signCheckpoint({ origin: logKey.name, size: 5, root }, signers));
  await expect(openSignedNote(toUtf8(note.replace('\n5\n', '\n6\n')), logKey, verifyEd25519)).rejects.toThrow('wrong');
  const stranger = { name: logKey.name, publicKey: testKey('stranger').publicKey };
  await expect(openSignedNote(toUtf8(note), stranger, verifyEd25519)).rejects.toThrow('expected key');
  const [own = ''] = note.match(/^\u2014 ledger.*\n/m) ?? [];
  await expect(openSignedNote(toUtf8(note + own), logKey, verifyEd25519)).rejects.toThrow('once');
});

test.each([
  ['no signature', 'text\n'],
  ['no final line feed', outsideNote.slice(0, -1)],
  ['a carriage return', outsideNote.replace('\n', '\r\n')],
  ['a hyphen instead of the dash', outsideNote.replace('\u2014', '-')],
  ['a signature that is too short', 'text\n\n\u2014 name AAAA\n'],
  ['spare bits in the base64', outsideNote.replace('nAM=', 'nAN=')],
  ['an empty signature line', `${outsideNote}\n`],
])('a note with %s is malformed', (_, note) => {
  expect(() => parseSignedNote(toUtf8(note))).toThrow(RangeError);
});

test('a verifier key with another key id, type or an unsafe point is rejected', () => {
  const good = toVerifierKey(logKey);
  expect(parseVerifierKey(good)).toEqual(logKey);
  for (const bad of [
    good.replace(/\+[0-9a-f]/, '+g'),
    good.replace('ledger', 'lodger'),
    `${good}A`,
    'a+b',
    outsideKey.replace('+AR', '+AB'),
  ])
    expect(() => parseVerifierKey(bad), bad).toThrow(RangeError);
});

test('a malformed note is not signed', async () => {
  await expect(signNote('no line feed', signers)).rejects.toThrow(RangeError);
  await expect(signNote('text\n', [])).rejects.toThrow(RangeError);
  expect(() => toCheckpointText({ origin: 'two words', size: 1, root })).toThrow(RangeError);
  expect(() => toVerifierKey({ name: 'a+b', publicKey: log.publicKey })).toThrow(RangeError);
});

test('checkpoint text has one form, and extension lines are ignored', () => {
  const text = toCheckpointText({ origin: 'log', size: 0, root });
  expect(parseCheckpointText(`${text}extension 1\n`)).toEqual({ origin: 'log', size: 0, root });
  for (const bad of [
    text.replace('\n0\n', '\n00\n'),
    text.replace('\n0\n', '\n-1\n'),
    text.replace('\n0\n', '\n1e3\n'),
    text.slice(0, -1),
    `${text}\n`,
    'log\n1\nAAAA\n',
  ])
    expect(() => parseCheckpointText(bad)).toThrow(RangeError);
});
