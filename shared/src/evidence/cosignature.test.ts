// Cosignatures of witnesses in Ed25519 and ML-DSA-44: format, signed message, times, duplicates, verifier keys.
import { describe, expect, test } from 'vitest';
import { noteVerifiers, postQuantumSigner, testSigner } from '../../../test/support/note-keys.ts';
import { signCheckpoint } from './checkpoint.ts';
import { cosignedMessage, signCosignatureLine, verifyCosignature } from './cosignature.ts';
import { parseUtf8, sha256, toBase64, toHex, toUtf8 } from './digest.ts';
import { parseTypedKey, type TypedNoteKey, toTypedKeyText } from './note-keys.ts';
import { addSignatureLines, parseSignedNote } from './signed-note.ts';

const log = testSigner('ED25519', 'ledger.example/log');
const witness = testSigner('COSIGNATURE', 'witness.example/w1');
const quantum = postQuantumSigner('witness.example/w1');
const checkpoint = { origin: log.name, size: 7, root: sha256(toUtf8('root')) };
const time = 1_790_000_000;

const signed = await signCheckpoint(checkpoint, [log]);
const { text } = parseSignedNote(signed);
const verdictOf = (note: Uint8Array, key: TypedNoteKey, verifiers = noteVerifiers) =>
  verifyCosignature(parseSignedNote(note), key, verifiers);

// The example of C2SP's tlog-cosignature, whose witness key is not published; its line can be read.
const c2spLine =
  '\u2014 witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n';

test('the time of a cosignature of another implementation is read at its specified position', () => {
  const [line] = parseSignedNote(addSignatureLines(signed, c2spLine)).signatures.slice(1);
  expect(new DataView((line?.signature ?? new Uint8Array(8)).slice().buffer).getBigUint64(0)).toBe(1_679_315_147n);
});

describe.each([['COSIGNATURE', witness] as const, ['ML_DSA_44', quantum] as const])('a cosignature %s', (_, signer) => {
  test('is valid at its time, and for no other key or checkpoint', async () => {
    const line = await signCosignatureLine(text, signer, time);
    const note = addSignatureLines(signed, line);
    expect(await verdictOf(note, signer)).toEqual({ state: 'VALID', timeSeconds: time });
    expect(await verdictOf(note, log)).toEqual({ state: 'VALID' });
    expect(await verdictOf(signed, signer)).toEqual({ state: 'ABSENT' });
    const other = await signCheckpoint({ ...checkpoint, size: 8 }, [log]);
    expect(await verdictOf(addSignatureLines(other, line), signer)).toEqual({ state: 'WRONG' });
  });

  test('is rejected with any byte changed', async () => {
    const line = await signCosignatureLine(text, signer, time);
    const bytes = Buffer.from(line.trimEnd().split(' ')[2] ?? '', 'base64');
    for (const at of [4, 11, 12, 60, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const lines = `\u2014 ${signer.name} ${toBase64(changed)}\n`;
      expect([at, await verdictOf(addSignatureLines(signed, lines), signer)]).toEqual([at, { state: 'WRONG' }]);
    }
    for (const length of [8, bytes.length - 1]) {
      const lines = `\u2014 ${signer.name} ${toBase64(bytes.subarray(0, length))}\n`;
      expect(await verdictOf(addSignatureLines(signed, lines), signer)).toEqual({ state: 'WRONG' });
    }
  });

  test('given twice counts from the earlier time; a valid one beside a wrong one is wrong', async () => {
    const lines = (await Promise.all([time + 9, time].map(at => signCosignatureLine(text, signer, at)))).join('');
    const note = addSignatureLines(signed, lines);
    expect(await verdictOf(note, signer)).toEqual({ state: 'VALID', timeSeconds: time });
    const stale = await signCosignatureLine(text.replace('\n7\n', '\n6\n'), signer, time);
    expect(await verdictOf(addSignatureLines(note, stale), signer)).toEqual({ state: 'WRONG' });
  });

  test('under the name of another witness is absent', async () => {
    const line = (await signCosignatureLine(text, signer, time)).replace('w1', 'w2');
    expect(await verdictOf(addSignatureLines(signed, line), signer)).toEqual({ state: 'ABSENT' });
  });

  test('rejects a time that is not an integer in the range of dates', async () => {
    await expect(signCosignatureLine(text, signer, 2 ** 53)).rejects.toThrow(RangeError);
    await expect(signCosignatureLine(text, signer, -1)).rejects.toThrow(RangeError);
    await expect(signCosignatureLine(text, signer, 1.5)).rejects.toThrow(RangeError);
  });
});

test('ML-DSA-44 accepts a cosignature without time, and is unchecked without a library', async () => {
  const note = addSignatureLines(signed, await signCosignatureLine(text, quantum, 0));
  expect(await verdictOf(note, quantum)).toEqual({ state: 'VALID' });
  expect(await verdictOf(note, quantum, { ed25519: noteVerifiers.ed25519 })).toEqual({ state: 'UNCHECKED' });
});

test('a log signs its own checkpoint with ML-DSA-44 beside Ed25519', async () => {
  const own = postQuantumSigner(log.name);
  const note = addSignatureLines(signed, await signCosignatureLine(text, own, time));
  expect(await verdictOf(note, own)).toEqual({ state: 'VALID', timeSeconds: time });
});

test('the signed messages are those of the specification', () => {
  expect(parseUtf8(cosignedMessage(text, witness, time))).toBe(`cosignature/v1\ntime ${time}\n${text}`);
  const name = Buffer.from(witness.name).toString('hex');
  const origin = Buffer.from(log.name).toString('hex');
  expect(toHex(cosignedMessage(text, quantum, time))).toBe(
    `737562747265652f76310a00${'12'}${name}${time.toString(16).padStart(16, '0')}${'12'}${origin}` +
      `${'00'.repeat(8)}${'00'.repeat(7)}07${toHex(checkpoint.root)}`,
  );
  expect(() => cosignedMessage(text, log, time)).toThrow(RangeError);
});

test.each([log, witness, quantum])('a verifier key is written and read unchanged, $type', key => {
  const { type, name, publicKey } = key;
  expect(parseTypedKey(toTypedKeyText(key))).toEqual({ type, name, publicKey });
});

test('a verifier key of another type, size, id or point is rejected', () => {
  const good = toTypedKeyText(witness);
  const zeros = Buffer.alloc(33);
  zeros[0] = 4;
  for (const bad of [
    good.replace('w1', 'w2'),
    good.replace('+B', '+A'),
    good.slice(0, -4),
    `w+00000000+${zeros.toString('base64')}`,
    toTypedKeyText(quantum).replace('+B', '+A'),
    'w',
  ])
    expect(() => parseTypedKey(bad), bad.slice(0, 60)).toThrow(RangeError);
});
