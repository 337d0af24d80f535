// Responses of a witness to a request for a cosignature: accepted key lines, rejected responses, conflicts.
import { expect, test } from 'vitest';
import { noteVerifiers, postQuantumSigner, testSigner } from '../../../test/support/note-keys.ts';
import { memoryLog } from '../../../test/support/witness-requests.ts';
import { signCosignatureLine } from './cosignature.ts';
import { toUtf8 } from './digest.ts';
import { parseSignedNote } from './signed-note.ts';
import { collectCosignatures, parseConflict } from './witness-client.ts';

const log = memoryLog(testSigner('ED25519', 'ledger.example/log'));
const witness = testSigner('COSIGNATURE', 'witness.example');
const quantum = postQuantumSigner('witness.example');
const stranger = testSigner('COSIGNATURE', 'stranger.example');
const note = parseSignedNote(await log.checkpoint(5));
const lineOf = (signer: typeof witness, { text } = note, seconds = 1_790_000_000) =>
  signCosignatureLine(text, signer, seconds);
const take = (answer: string, keys = [witness, quantum]) =>
  collectCosignatures(toUtf8(answer), note, keys, noteVerifiers);

test('lines of the keys of a witness are accepted, and others are ignored', async () => {
  const [own, post, other] = await Promise.all([witness, quantum, stranger].map(signer => lineOf(signer)));
  expect(await take(`${other}${post}${own}`)).toBe(`${own}${post}`);
  expect(await take(`${own}${post}`, [witness])).toBe(own);
});

test('one line per key is accepted, however many a witness answers', async () => {
  const lines = await Promise.all([5, 3, 8].map(seconds => lineOf(witness, note, 1_790_000_000 + seconds)));
  expect(await take(`${lines.join('')}${await lineOf(quantum)}`, [witness])).toBe(lines[0]);
});

test('a response without a valid cosignature of the witness is rejected', async () => {
  const ofOther = await lineOf(witness, parseSignedNote(await log.checkpoint(4)));
  await expect(take(ofOther)).rejects.toThrow('is wrong');
  await expect(take(await lineOf(stranger))).rejects.toThrow('no cosignature of its key');
  for (const bad of ['', 'no line\n', (await lineOf(witness)).trimEnd(), `${await lineOf(witness)}\n`])
    await expect(take(bad), bad).rejects.toThrow(RangeError);
});

test('the size in a conflict has one form', () => {
  expect(parseConflict(toUtf8('17\n'))).toBe(17);
  for (const bad of ['17', '017\n', '-1\n', '17\n\n', '', '99999999999999999\n'])
    expect(() => parseConflict(toUtf8(bad)), bad).toThrow(RangeError);
});
