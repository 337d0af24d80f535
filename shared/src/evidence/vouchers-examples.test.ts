// Executes the worked example of docs/spec/vouchers.md.
import { expect, test } from 'vitest';
import { keyFromSeed } from '../../../test/support/ed25519.ts';
import { noteVerifiers, postQuantumSigner } from '../../../test/support/note-keys.ts';
import { readExample, readText } from '../../../test/support/spec-examples.ts';
import { cosignedMessage, signCosignatureLine, type TypedNoteSigner, verifyCosignature } from './cosignature.ts';
import { parseHex, parseUtf8, toHex, toUtf8 } from './digest.ts';
import { hashLeaf } from './merkle.ts';
import { parseTypedKey, toTypedKeyText } from './note-keys.ts';
import { applyPolicy } from './policy-verdict.ts';
import { addSignatureLines, parseSignedNote } from './signed-note.ts';
import { parseTlogPolicy } from './tlog-policy.ts';
import { isProofOf, parseTlogProof, writeTlogProof } from './tlog-proof.ts';
import { addCheckpoint } from './witness.ts';
import { FileWitnessStore, writeWitnessState } from './witness-state.ts';

const log = readExample('ledger.md', 'log');
const example = readExample('vouchers.md', 'witnesses');
const quantum = readExample('vouchers.md', 'quantum');
const checkpoint = toUtf8(readText('ledger.md', 'checkpoint'));
const { text } = parseSignedNote(checkpoint);
const policy = parseTlogPolicy(toUtf8(readText('vouchers.md', 'policy')));

function witnessOf(word: 'one' | 'two' | 'three'): TypedNoteSigner {
  const { publicKey, sign } = keyFromSeed(parseHex(example(`seed ${word}`)));
  return { type: 'COSIGNATURE', name: `${word}.example`, publicKey, sign };
}
const timeOf = (word: 'one' | 'two') => Number(example(`time ${word}`));

test('vouchers.md: keys, messages and cosignatures', async () => {
  for (const word of ['one', 'two', 'three'] as const)
    expect(toTypedKeyText(witnessOf(word))).toBe(example(`key ${word}`));
  expect(toHex(cosignedMessage(text, witnessOf('one'), timeOf('one')))).toBe(example('message one'));
  let note = checkpoint;
  for (const word of ['one', 'two'] as const)
    note = addSignatureLines(note, await signCosignatureLine(text, witnessOf(word), timeOf(word)));
  expect(parseUtf8(note)).toBe(readText('vouchers.md', 'cosigned'));
});

test('vouchers.md: the proof, and the policy that it meets', async () => {
  const bytes = toUtf8(readText('vouchers.md', 'proof'));
  const proof = parseTlogProof(bytes);
  expect(writeTlogProof(proof)).toEqual(bytes);
  expect(parseUtf8(proof.extra ?? bytes)).toBe(log('entry 1'));
  expect(isProofOf(hashLeaf(proof.extra ?? bytes), proof)).toBe(true);
  expect(parseUtf8(proof.checkpoint)).toBe(readText('vouchers.md', 'cosigned'));
  const verdict = await applyPolicy(policy, proof.note, noteVerifiers);
  const timeSeconds = Number(example('quorum time'));
  expect(verdict).toMatchObject({
    isSignedByLog: true,
    isContradicted: false,
    quorum: { isReached: true, timeSeconds },
  });
});

test('vouchers.md: the request, and the response of a witness that has cosigned the first entry', async () => {
  const key = parseTypedKey(log('verifier key'));
  const logs = new Map([
    [key.name, { size: 1, root: hashLeaf(toUtf8(log('entry 0'))), timeSeconds: 0, note: 'of one entry' }],
  ]);
  let content = writeWitnessState({ name: 'one.example', logs });
  const write = async (written: string) => {
    content = written;
  };
  const answer = await addCheckpoint(toUtf8(readText('vouchers.md', 'request')), {
    logs: new Map([[key.name, [key]]]),
    signers: [witnessOf('one')],
    verifiers: noteVerifiers,
    store: new FileWitnessStore({ read: async () => content, write }),
    nowSeconds: () => timeOf('one'),
  });
  const [, , line] = readText('vouchers.md', 'cosigned').split('\n\u2014 ');
  expect(answer).toMatchObject({ kind: 'COSIGNED', lines: `\u2014 ${line}\n` });
});

test('vouchers.md: the cosignature with ML-DSA-44', async () => {
  const key = postQuantumSigner('quantum.example', parseHex(quantum('seed')));
  expect(toTypedKeyText(key)).toBe(quantum('key'));
  expect(toHex(cosignedMessage(text, key, timeOf('two')))).toBe(quantum('message'));
  const note = parseSignedNote(addSignatureLines(checkpoint, `${quantum('line')}\n`));
  expect(await verifyCosignature(note, key, noteVerifiers)).toEqual({ state: 'VALID', timeSeconds: timeOf('two') });
});
