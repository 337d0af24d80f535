// Writes test/vectors/vouchers.json: proofs and policies, and what a reader must say of them. Run once, the result is frozen
// and committed: `node test/vectors/make/voucher-cases.ts`. Signatures of ML-DSA-44 differ with each run.
import { writeFileSync } from 'node:fs';
import { signCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { signCosignatureLine, type TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { toBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { addSignatureLines, parseSignedNote, signNote } from '@recordproof/shared/evidence/signed-note.ts';
import { postQuantumSigner, testSigner } from '../../support/note-keys.ts';
import type { VoucherCase, VoucherVerdict } from '../../support/voucher-cases.ts';

const log = testSigner('ED25519', 'ledger.example/log');
const [one, two, three] = ['one', 'two', 'three'].map(word => testSigner('COSIGNATURE', `${word}.example`)) as [
  TypedNoteSigner,
  TypedNoteSigner,
  TypedNoteSigner,
];
const quantum = postQuantumSigner('quantum.example');
const time = 1_790_000_000;
const entries = Array.from({ length: 13 }, (_, at) => `{"number":${at}}`);
const tree = buildMerkleTree(entries.map(entry => hashLeaf(toUtf8(entry))));
const index = 5;
const text = (note: Uint8Array) => parseSignedNote(note).text;

const bare = await signCheckpoint({ origin: log.name, size: entries.length, root: tree.root }, [log]);
const lineOf = (signer: TypedNoteSigner, at = time, of = bare) => signCosignatureLine(text(of), signer, at);
const ofOne = await lineOf(one, time + 10);
const ofTwo = await lineOf(two, time + 20);
const ofThree = await lineOf(three, time + 30);
const ofQuantum = await lineOf(quantum, time + 5);
const smaller = await signCheckpoint({ origin: log.name, size: 12, root: tree.root }, [log]);
const add = (...lines: string[]) => lines.reduce(addSignatureLines, bare);
const whole = add(ofOne, ofTwo);

const proofOf = (checkpoint: Uint8Array, path = tree.pathOf(index).map(toBase64), extra = entries[index] ?? '') =>
  `c2sp.org/tlog-proof@v1\nextra ${toBase64(toUtf8(extra))}\nindex ${index}\n${path.join('\n')}\n\n${Buffer.from(checkpoint).toString()}`;
const proof = proofOf(whole);
const proofWithQ = proofOf(add(ofOne, ofTwo, ofQuantum));
const [first = '', extra = '', indexLine = '', ...rest] = proof.split('\n');
const path = tree.pathOf(index).map(toBase64);

const keys = { L: log, A: one, B: two, C: three, Q: quantum };
const logLine = `log ${toTypedKeyText(log)}\n`;
const witnessLine = (name: keyof typeof keys) => `witness ${name} ${toTypedKeyText(keys[name])}\n`;
/** With the witness Q, whose key is long, where one of the lines names it. */
const policyOf = (...lines: string[]) => {
  const names = ['A', 'B', 'C', ...(lines.some(line => / Q\b/.test(line)) ? ['Q'] : [])] as (keyof typeof keys)[];
  return [logLine, ...names.map(witnessLine), ...lines.map(line => `${line}\n`)].join('');
};
const twoOfThree = policyOf('group G 2 A B C', 'quorum G');

const withQ = `${twoOfThree}${witnessLine('Q')}`;

const good: VoucherVerdict = {
  isSignedByLog: true,
  isContradicted: false,
  isReached: true,
  time: time + 20,
  isIncluded: true,
};
const notReached = { ...good, isReached: false, time: null };
const cases: VoucherCase[] = [];
/** Q is in the proof and in the policy, or in neither. */
function say(name: string, expected: VoucherCase['expected'], given: { proof?: string; policy?: string } = {}): void {
  const isWithQ = given.policy?.includes(' quantum.') ?? given.proof?.includes(' quantum.') ?? false;
  cases.push({ name, expected, proof: isWithQ ? proofWithQ : proof, policy: isWithQ ? withQ : twoOfThree, ...given });
}
const error = { error: true } as const;

// What holds.
say('two of three witnesses', good);
say('the later of two, whatever their order', good, { proof: proofOf(add(ofTwo, ofOne)) });
say('all three, and still the second time', good, { proof: proofOf(add(ofThree, ofOne, ofTwo)) });
say('one of three is not enough', notReached, { proof: proofOf(add(ofOne, ofQuantum)) });
say('no cosignature at all', notReached, { proof: proofOf(bare) });
say('quorum none states no time', { ...good, time: null }, { policy: policyOf('quorum none') });
say('a single witness as the quorum', { ...good, time: time + 10 }, { policy: policyOf('quorum A') });
say(
  'any of them at the earliest time',
  { ...good, time: time + 5 },
  { policy: policyOf('group G any A B Q', 'quorum G') },
);
say('all of them at the latest time', good, { policy: policyOf('group G all A B Q', 'quorum G') });
say('ML-DSA-44 alone', { ...good, time: time + 5 }, { policy: policyOf('quorum Q') });
say('groups of groups', good, { policy: policyOf('group X 2 A B C', 'group Y any Q', 'group Z all X Y', 'quorum Z') });
say('a group in the quorum that is not reached', notReached, {
  policy: policyOf('group X any C', 'group Z all X A', 'quorum Z'),
});
say('extra data of another entry', { ...good, isIncluded: false }, { proof: proofOf(whole, path, entries[6]) });
say('no extra data', { ...good, isIncluded: false }, { proof: proof.replace(`${extra}\n`, '') });
say('another position', { ...good, isIncluded: false }, { proof: proof.replace('index 5', 'index 4') });
say('a position behind the end', { ...good, isIncluded: false }, { proof: proof.replace('index 5', 'index 13') });
say(
  'two hashes of the path swapped',
  { ...good, isIncluded: false },
  { proof: proofOf(whole, path.toSpliced(0, 2, path[1] ?? '', path[0] ?? '')) },
);
say('a hash too many', { ...good, isIncluded: false }, { proof: proofOf(whole, [...path, path[0] ?? '']) });
say('a hash too few', { ...good, isIncluded: false }, { proof: proofOf(whole, path.slice(1)) });
say('no path at all', { ...good, isIncluded: false }, { proof: proof.replace(`${path.join('\n')}\n`, '') });
say('a witness that the policy does not know', good, {
  proof: proofOf(add(ofOne, ofTwo, await lineOf(testSigner('COSIGNATURE', 'stranger.example')))),
});
say('the name of a witness with another key', good, {
  proof: proofOf(add(ofOne, ofTwo, await lineOf({ ...testSigner('COSIGNATURE', 'imposter'), name: one.name }))),
});
say(
  'a cosignature twice, and its earlier time',
  { ...good, time: time + 10 },
  { proof: proofOf(add(ofOne, await lineOf(two, time + 40), await lineOf(two, time + 1))) },
);
say(
  'a log of another name',
  { ...good, isSignedByLog: false },
  { policy: twoOfThree.replace(logLine, `log ${toTypedKeyText({ ...log, name: 'other.example' })}\n`) },
);
say('no log in the policy', { ...good, isSignedByLog: false }, { policy: twoOfThree.replace(logLine, '') });
say(
  'ML-DSA-44 without a time counts for none',
  { ...good, time: null },
  { proof: proofOf(add(await lineOf(quantum, 0))), policy: policyOf('quorum Q') },
);
say(
  'ML-DSA-44 without a time beside one with a time',
  { ...good, time: time + 10 },
  { proof: proofOf(add(ofOne, await lineOf(quantum, 0))), policy: policyOf('group G any A Q', 'quorum G') },
);
say(
  'the last time that there is',
  { ...good, time: 8_640_000_000_000 },
  { proof: proofOf(add(await lineOf(one, 8_640_000_000_000))), policy: policyOf('quorum A') },
);
say('a log that signs with ML-DSA-44 alone', good, {
  proof: proofOf(add(ofOne, ofTwo, await lineOf(postQuantumSigner(log.name)))),
  policy: twoOfThree.replace(logLine, `log ${toTypedKeyText(postQuantumSigner(log.name))}\n`),
});
const extended = await signNote(`${text(bare)}extension\n`, [log]);
say('a further line in the checkpoint', good, {
  proof: proofOf(
    [await lineOf(one, time + 10, extended), await lineOf(two, time + 20, extended)].reduce(
      addSignatureLines,
      extended,
    ),
  ),
});
say('comments, tabs and spaces', good, {
  policy: `# policy\n\n \t\n${twoOfThree.replace('quorum G', '\tquorum \t G  ').replace('group', '  group')}`,
});
say('addresses behind the keys', good, {
  policy: twoOfThree.replaceAll(/^((?:log|witness) .*)$/gm, '$1 https://example.org/x'),
});

// Signatures of known keys that are wrong.
const liar = { ...good, isContradicted: true };
const damage = (line: string, at: number) => {
  const [dash = '', name = '', encoded = ''] = line.trimEnd().split(' ');
  const bytes = Buffer.from(encoded, 'base64');
  bytes[at < 0 ? bytes.length + at : at] = (bytes[at < 0 ? bytes.length + at : at] ?? 0) ^ 1;
  return `${dash} ${name} ${bytes.toString('base64')}\n`;
};
const cut = (line: string) => `${line.trimEnd().slice(0, -4)}\n`;
say(
  'a cosignature of another checkpoint',
  { ...liar, isReached: false, time: null },
  { proof: proofOf(add(ofOne, await lineOf(two, time, smaller))) },
);
say('a wrong cosignature beside a quorum without it', liar, {
  proof: proofOf(add(ofOne, ofTwo, await lineOf(three, time, smaller))),
});
say(
  'another time in front of a right signature',
  { ...liar, isReached: false, time: null },
  { proof: proofOf(add(ofOne, damage(ofTwo, 11))) },
);
say('one bit of R', { ...liar, isReached: false, time: null }, { proof: proofOf(add(ofOne, damage(ofTwo, 12))) });
say('one bit of S', { ...liar, isReached: false, time: null }, { proof: proofOf(add(ofOne, damage(ofTwo, -1))) });
say('a cosignature that is cut', { ...liar, isReached: false, time: null }, { proof: proofOf(add(ofOne, cut(ofTwo))) });
say(
  'a time beyond every date',
  { ...liar, isReached: false, time: null },
  { proof: proofOf(add(ofOne, damage(ofTwo, 4))) },
);
say('one bit of the time of ML-DSA-44', liar, { proof: proofOf(add(ofOne, ofTwo, damage(ofQuantum, 11))) });
say('one bit of the challenge of ML-DSA-44', liar, { proof: proofOf(add(ofOne, ofTwo, damage(ofQuantum, 12))) });
say('one bit of the hints of ML-DSA-44', liar, { proof: proofOf(add(ofOne, ofTwo, damage(ofQuantum, -1))) });
say('ML-DSA-44 over a smaller tree', liar, { proof: proofOf(add(ofOne, ofTwo, await lineOf(quantum, time, smaller))) });
say('ML-DSA-44 that is cut', liar, { proof: proofOf(add(ofOne, ofTwo, cut(ofQuantum))) });
say(
  'a right cosignature beside a wrong one of the same key',
  { ...liar, isReached: false, time: null },
  { proof: proofOf(add(ofOne, ofTwo, damage(ofTwo, 20))) },
);
const [logSignature = ''] = Buffer.from(bare).toString().split('\n').slice(-2);
say(
  'the log signed another size',
  { ...liar, isSignedByLog: false, isReached: false, time: null, isIncluded: false },
  { proof: proof.replace('\n13\n', '\n21\n') },
);
say(
  'one bit of the signature of the log',
  { ...liar, isSignedByLog: false },
  { proof: proof.replace(`${logSignature}\n`, damage(logSignature, 20)) },
);

// What is no proof.
for (const [name, bad] of [
  ['another version', proof.replace('@v1', '@v2')],
  ['a byte order mark', `\ufeff${proof}`],
  ['line ends of Windows', proof.replaceAll('\n', '\r\n')],
  ['no index', [first, extra, ...rest].join('\n')],
  ['an index with a leading zero', proof.replace('index 5', 'index 05')],
  ['an index with a sign', proof.replace('index 5', 'index +5')],
  ['an index beyond 2^53', proof.replace('index 5', 'index 9007199254740992')],
  ['extra data behind the index', [first, indexLine, extra, ...rest].join('\n')],
  ['extra data twice', [first, extra, extra, indexLine, ...rest].join('\n')],
  ['empty extra data', proof.replace(extra, 'extra ')],
  ['base64 without its padding', proof.replace(path[0] ?? '', (path[0] ?? '').slice(0, -1))],
  ['base64 with spare bits', proof.replace(path[0] ?? '', (path[0] ?? '').replace(/.=$/, 'B='))],
  ['a hash of 31 bytes', proof.replace(path[0] ?? '', `${'A'.repeat(40)}AA==`)],
  ['sixty-four hashes', proofOf(whole, Array(64).fill(path[0] ?? ''))],
  ['no checkpoint', proof.slice(0, proof.indexOf('\n\n') + 1)],
  ['a checkpoint without signatures', proof.slice(0, proof.lastIndexOf('\n\n') + 1)],
  ['a size with a leading zero', proof.replace('\n13\n', '\n013\n')],
  ['a hyphen in place of the dash', proof.replace('\u2014', '-')],
  ['two spaces in a signature line', proof.replace('\u2014 ', '\u2014  ')],
  ['no line feed at the end', proof.slice(0, -1)],
  ['seventy-three signatures', proof + ofOne.repeat(70)],
] as const)
  say(`proof: ${name}`, error, { proof: bad });

// What is no policy.
const lower = toTypedKeyText(one);
for (const [name, bad] of [
  ['no quorum', policyOf()],
  ['two quorums', policyOf('quorum A', 'quorum B')],
  ['a quorum before its group', policyOf('quorum G', 'group G any A')],
  ['a group without members', policyOf('group G any', 'quorum G')],
  ['a threshold of zero', policyOf('group G 0 A', 'quorum G')],
  ['a threshold above its members', policyOf('group G 3 A B', 'quorum G')],
  ['a threshold with a leading zero', policyOf('group G 02 A B', 'quorum G')],
  ['a member twice', policyOf('group G 2 A A', 'quorum G')],
  ['a member of two groups', policyOf('group G any A', 'group H any A B', 'quorum H')],
  ['a name twice', policyOf('group A any B', 'quorum A')],
  ['none as a name', policyOf('group none any A', 'quorum none')],
  ['a public key twice', policyOf(`witness again ${lower}`, 'quorum A')],
  ['the key of a log as a witness', policyOf(`witness again ${toTypedKeyText(log)}`, 'quorum A')],
  ['the key of a witness as a log', policyOf(`log ${lower}`, 'quorum A')],
  ['a key with another id', twoOfThree.replace(/\+[0-9a-f]{8}\+/, '+00000000+')],
  ['a key in upper case', twoOfThree.replace(/\+[0-9a-f]{8}\+/, id => id.toUpperCase())],
  ['an unknown word', policyOf('trust A', 'quorum A')],
  ['a carriage return', policyOf('quorum A\r')],
  ['no line feed at the end', twoOfThree.slice(0, -1)],
] as const)
  say(`policy: ${name}`, error, { policy: bad });

writeFileSync(new URL('../vouchers.json', import.meta.url), `${JSON.stringify(cases, null, 2)}\n`);
