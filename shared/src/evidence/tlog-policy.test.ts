// Witness policies: nested quorums, the time of a quorum, wrong signatures, parsing and limits.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noteVerifiers, postQuantumSigner, testSigner } from '../../../test/support/note-keys.ts';
import { signCheckpoint } from './checkpoint.ts';
import { signCosignatureLine } from './cosignature.ts';
import { concatBytes, sha256, toUtf8 } from './digest.ts';
import { toTypedKeyText } from './note-keys.ts';
import { applyPolicy } from './policy-verdict.ts';
import { addSignatureLines, parseSignedNote } from './signed-note.ts';
import { parseTlogPolicy } from './tlog-policy.ts';

const log = testSigner('ED25519', 'ledger.example/log');
const witnesses = ['w1', 'w2', 'w3', 'w4', 'w5'].map(name => testSigner('COSIGNATURE', `${name}.example`));
const logLine = `log ${toTypedKeyText(log)} https://ledger.example/log`;
const witnessLines = witnesses.map((key, at) => `witness W${at + 1} ${toTypedKeyText(key)}`);
const head = [logLine, ...witnessLines];
const policyOf = (...lines: string[]) => parseTlogPolicy(toUtf8([...head, ...lines, ''].join('\n')));

const signed = await signCheckpoint({ origin: log.name, size: 3, root: sha256(toUtf8('root')) }, [log]);
const { text } = parseSignedNote(signed);

/** The checkpoint with a cosignature of each witness that has a time here. */
async function cosigned(...times: (number | undefined)[]): Promise<Uint8Array> {
  let note = signed;
  for (const [at, time] of times.entries()) {
    const witness = witnesses[at];
    if (witness && time !== undefined) note = addSignatureLines(note, await signCosignatureLine(text, witness, time));
  }
  return note;
}

const quorumOf = async (note: Uint8Array, ...lines: string[]) =>
  (await applyPolicy(policyOf(...lines), parseSignedNote(note), noteVerifiers)).quorum;

test('a quorum of two of three has the second earliest time, in any order', async () => {
  const lines = ['group G 2 W1 W2 W3', 'quorum G'];
  expect(await quorumOf(await cosigned(300, 100, 200), ...lines)).toEqual({ isReached: true, timeSeconds: 200 });
  expect(await quorumOf(await cosigned(undefined, 100, 200), ...lines)).toEqual({ isReached: true, timeSeconds: 200 });
  expect(await quorumOf(await cosigned(undefined, undefined, 200), ...lines)).toEqual({ isReached: false });
});

test('groups of groups: "all" has the latest time, "any" the earliest', async () => {
  const groups = ['group X 2 W1 W2 W3', 'group Y any W4 W5'];
  const note = await cosigned(10, 30, 20, 50, 40);
  expect(await quorumOf(note, ...groups, 'group Z all X Y', 'quorum Z')).toEqual({ isReached: true, timeSeconds: 40 });
  expect(await quorumOf(note, ...groups, 'group Z any X Y', 'quorum Z')).toEqual({ isReached: true, timeSeconds: 20 });
  expect(await quorumOf(note, 'quorum W2')).toEqual({ isReached: true, timeSeconds: 30 });
});

test('the time of a quorum is not earlier while fewer members than the threshold are dishonest', async () => {
  const time = fc.integer({ min: 1000, max: 2000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(time, { minLength: 5, maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      async (true_, k) => {
        const lied = true_.map((seconds, at) => (at < k - 1 ? 1 : seconds));
        const { timeSeconds = 0 } = await quorumOf(await cosigned(...lied), `group G ${k} W1 W2 W3 W4 W5`, 'quorum G');
        expect(timeSeconds).toBeGreaterThanOrEqual(Math.min(...true_));
      },
    ),
    { numRuns: 15 },
  );
});

test('a cosignature without a time counts for the quorum, but not for its time', async () => {
  const quantum = postQuantumSigner('w6.example');
  const lines = [`witness W6 ${toTypedKeyText(quantum)}`, 'group G 2 W1 W6', 'quorum G'];
  const timeless = await signCosignatureLine(text, quantum, 0);
  const note = addSignatureLines(await cosigned(100), timeless);
  expect(await quorumOf(note, ...lines)).toEqual({ isReached: true });
  const { witnesses: found } = await applyPolicy(policyOf(...lines), parseSignedNote(note), {
    ed25519: noteVerifiers.ed25519,
  });
  expect(found.at(-1)?.verdict).toEqual({ state: 'UNCHECKED' });
});

test('quorum none requires no cosignature, but the signature of the log', async () => {
  const policy = parseTlogPolicy(toUtf8(`${logLine}\nquorum none\n`));
  const own = await applyPolicy(policy, parseSignedNote(signed), noteVerifiers);
  expect(own).toMatchObject({ isSignedByLog: true, isContradicted: false, quorum: { isReached: true } });
  const other = testSigner('ED25519', 'other.example/log');
  const foreign = await signCheckpoint({ origin: other.name, size: 3, root: sha256(toUtf8('root')) }, [other, log]);
  const verdict = await applyPolicy(policy, parseSignedNote(foreign), noteVerifiers);
  expect([verdict.isSignedByLog, verdict.logs]).toEqual([false, []]);
});

test('a wrong signature of a known witness contradicts, also when the quorum is reached without it', async () => {
  const [w1 = log] = witnesses;
  const replayed = await signCosignatureLine(text.replace('\n3\n', '\n2\n'), w1, 100);
  const note = addSignatureLines(await cosigned(undefined, 200), replayed);
  const verdict = await applyPolicy(policyOf('quorum W2'), parseSignedNote(note), noteVerifiers);
  expect(verdict).toMatchObject({ isContradicted: true, quorum: { isReached: true, timeSeconds: 200 } });
});

test('spaces, tabs, comments and bytes that are not UTF-8 are read as specified', () => {
  const kelvin = Buffer.from([0x4b, 0xff, 0x20]);
  const line = concatBytes(
    toUtf8(' \twitness\t'),
    kelvin,
    toUtf8(`\t ${toTypedKeyText(postQuantumSigner('q.example'))}  \n`),
  );
  const bytes = concatBytes(toUtf8('# caf\u00e9\n\n'), line, toUtf8('group G any '), kelvin, toUtf8('\nquorum G\n'));
  const { witnesses: found, quorum } = parseTlogPolicy(bytes);
  expect(found.map(({ name }) => name)).toEqual(['K\ufffd']);
  expect(quorum).toMatchObject({ kind: 'GROUP', threshold: 1 });
});

test('sixty-four logs, witnesses and groups are accepted, and one more is not', () => {
  const many = Array.from({ length: 64 }, (_, at) => toTypedKeyText(testSigner('COSIGNATURE', `many-${at}.example`)));
  const lines = many.flatMap((key, at) => [`witness M${at} ${key}`, `group G${at} all M${at}`]);
  const text = `${lines.join('\n')}\nquorum G0\n`;
  expect(parseTlogPolicy(toUtf8(text)).groups).toHaveLength(64);
  expect(() => parseTlogPolicy(toUtf8(`${witnessLines[0]}\n${text}`))).toThrow('more than 64');
});

const w1Key = toTypedKeyText(witnesses[0] ?? log);
test.each([
  ['no quorum', [], 'no quorum line'],
  ['a second quorum', ['quorum none', 'quorum W1'], 'line 8 of the policy: it is the second quorum line'],
  ['a quorum before its group', ['quorum G', 'group G any W1'], 'no line before it defines G'],
  ['an empty group', ['group G any', 'quorum none'], 'a group is written'],
  ['a threshold of zero', ['group G 0 W1', 'quorum G'], 'from 1 to 1'],
  ['a threshold above the members', ['group G 3 W1 W2', 'quorum G'], 'from 1 to 2'],
  ['a threshold with a leading zero', ['group G 01 W1', 'quorum G'], 'from 1 to 1'],
  ['a duplicate member', ['group G any W1 W1', 'quorum G'], 'W1 is a member of a group already'],
  ['a witness in two groups', ['group G any W1', 'group H any W1', 'quorum H'], 'W1 is a member of a group already'],
  ['a group in itself', ['group G any G', 'quorum G'], 'no line before it defines G'],
  ['none as a member', ['group G any none', 'quorum G'], 'no line before it defines none'],
  ['none as a name', ['group none any W1', 'quorum none'], 'is reserved'],
  ['a duplicate name', ['group W1 any W2', 'quorum W1'], 'W1 is defined twice'],
  ['a duplicate key', [`witness again ${w1Key}`, 'quorum none'], 'listed twice'],
  ['the key of a witness as a log', [`log ${w1Key}`, 'quorum none'], 'the key of a witness, not of a log'],
  ['the key of a log as a witness', [`witness L ${toTypedKeyText(log)}`, 'quorum none'], 'the key of a log; witnesses'],
  ['a malformed key', ['witness L a+b+c', 'quorum none'], 'a verifier key is written'],
  ['an unknown line', ['trust W1', 'quorum none'], 'begins with none of log, witness, group and quorum'],
  ['an extra field on a line', ['quorum W1 W2'], 'a quorum is written'],
  ['a carriage return', ['quorum none\r'], 'the control character 0x0d'],
])('a policy with %s is rejected with a sentence', (_, lines, message) => {
  expect(() => policyOf(...lines)).toThrow(message);
});

test('a policy without a final line feed is rejected: its last line may be truncated', () => {
  expect(() => parseTlogPolicy(toUtf8('quorum none'))).toThrow('cut off');
});
