// The specification of vouchers read by somebody else: a witness and a reader in Python that share no code with us. They
// cosign our checkpoints and we cosign theirs, and both readers agree on every mutant of a proof and of a policy.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { signCosignatureLine, verifyCosignature } from '@recordproof/shared/evidence/cosignature.ts';
import { toBase64, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { parseTypedKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { addSignatureLines, parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { writeTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { runWitness } from '@recordproof/verifier/witness/witness-command.ts';
import { parseWitnessCommand } from '@recordproof/verifier/witness/witness-options.ts';
import { afterAll, expect } from 'vitest';
import { stopChild } from '../support/child-process.ts';
import { keyFromSeed } from '../support/ed25519.ts';
import { noteVerifiers, postQuantumSigner, testSigner } from '../support/note-keys.ts';
import { testWith } from '../support/programs.ts';
import { listVoucherCases, readVoucher, type VoucherCase } from '../support/voucher-cases.ts';
import { memoryLog } from '../support/witness-requests.ts';

const test = testWith('python3');
const mutants = Number(process.env.MUTANTS ?? 250);
const scriptOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'vouchers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const seed = 'a5'.repeat(32);
const logSigner = testSigner('ED25519', 'ledger.example/log');
const log = memoryLog(logSigner);
const fork = memoryLog(logSigner, 1, 3);

async function startPythonWitness() {
  const args = ['serve', 'python.example', seed, toTypedKeyText(logSigner), join(folder, 'python-state.json')];
  const child = spawn('python3', ['-B', scriptOf('witness.py'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const part of child.stdout) {
    said += part;
    if (said.split('\n').length === 3) break;
  }
  const [key = '', url = ''] = said.split('\n');
  const post = async (body: Uint8Array) => fetch(`${url}/add-checkpoint`, { method: 'POST', body: Buffer.from(body) });
  return { key: parseTypedKey(key), post, [Symbol.asyncDispose]: () => stopChild(child, 'SIGKILL') };
}

test('the Python witness cosigns our growing log, keeps its state over a kill, and cosigns no fork', async () => {
  for (const steps of [
    [
      [0, 1],
      [1, 4],
      [4, 4],
      [4, 17],
    ],
    [
      [17, 17],
      [17, 64],
      [64, 65],
    ],
  ] as const) {
    await using witness = await startPythonWitness();
    for (const [old, size] of steps) {
      const answer = await witness.post(await log.request(old, size));
      expect([size, answer.status]).toEqual([size, 200]);
      const note = parseSignedNote(addSignatureLines(await log.checkpoint(size), await answer.text()));
      expect(await verifyCosignature(note, witness.key, noteVerifiers)).toMatchObject({ state: 'VALID' });
    }
    const last = steps.at(-1)?.[1] ?? 0;
    const conflict = await witness.post(await log.request(1, 70));
    expect([conflict.status, conflict.headers.get('content-type'), await conflict.text()]).toEqual([
      409,
      'text/x.tlog.size',
      `${last}\n`,
    ]);
    expect((await witness.post(await fork.request(last, last))).status).toBe(409);
    expect((await witness.post(await fork.request(last, last + 9))).status).toBe(422);
  }
});

test('our witness cosigns a log in Python, and both readers verify the cosignatures', async () => {
  const name = 'python.example/log';
  const key = { type: 'ED25519', name, publicKey: keyFromSeed(Buffer.from(seed, 'hex')).publicKey } as const;
  const data = join(folder, 'ours');
  const parsed = parseWitnessCommand([
    '--data',
    data,
    '--name',
    'ours.example',
    '--listen',
    '127.0.0.1:0',
    '--post-quantum',
    '--log',
    toTypedKeyText(key),
  ]);
  if (parsed.kind !== 'serve') throw new Error('not the service');
  const stopping = new AbortController();
  const started = Promise.withResolvers<void>();
  const said: string[] = [];
  const write = (line: string) => {
    said.push(line.trim());
    if (line.startsWith('http')) started.resolve();
  };
  const running = runWitness(parsed.options, { stdout: { write }, stderr: { write: () => true } }, stopping.signal);
  await Promise.race([started.promise, running]);
  const [first = '', second = '', url = ''] = said;
  const sizes = [1, 2, 7, 8, 8, 31, 100].map(String);
  const { stdout } = await promisify(execFile)('python3', [
    '-B',
    scriptOf('witness.py'),
    'grow',
    name,
    seed,
    url,
    ...sizes,
  ]);
  stopping.abort();
  await running;
  const notes = stdout
    .trimEnd()
    .split('\n')
    .map(line => Buffer.from(line, 'base64'));
  expect(notes).toHaveLength(sizes.length);
  const policy = toUtf8(
    `log ${toTypedKeyText(key)}\nwitness A ${first}\nwitness B ${second}\ngroup G all A B\nquorum G\n`,
  );
  const proofs = notes.map(checkpoint =>
    writeTlogProof({ index: 0, path: [], checkpoint: new Uint8Array(checkpoint) }),
  );
  const verdicts = await Promise.all(proofs.map(proof => readVoucher(proof, policy)));
  for (const verdict of verdicts)
    expect(verdict).toMatchObject({ isSignedByLog: true, isContradicted: false, isReached: true });
  expect(await askPython(proofs.map(proof => ({ proof, policy })))).toEqual(verdicts);
});

async function askPython(
  given: readonly { proof: Uint8Array; policy: Uint8Array }[],
): Promise<VoucherCase['expected'][]> {
  const python = spawn('python3', ['-B', scriptOf('check_vouchers.py'), '--each'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = readAll(python.stdout);
  const lines = given.map(
    ({ proof, policy }) => `${JSON.stringify({ proof: toBase64(proof), policy: toBase64(policy) })}\n`,
  );
  python.stdin.on('error', () => {}).end(lines.join(''));
  return (await answers)
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}

/** The same number always gives the same bytes. */
function* randomNumbers(state: number): Generator<number, never> {
  for (let next = state; ; ) {
    next = (Math.imul(next, 1_664_525) + 1_013_904_223) >>> 0;
    yield next >>> 8;
  }
}

/** One to three changes of single bytes, of lines, or of what is a number. */
function mutate(bytes: Uint8Array, random: Generator<number, never>): Uint8Array {
  const pick = (most: number) => random.next().value % most;
  let text = Buffer.from(bytes).toString('latin1');
  for (let changes = 1 + pick(3); changes > 0; changes--) {
    const lines = text.split('\n');
    const [at, line] = [pick(text.length), pick(lines.length)];
    const kind = pick(6);
    if (kind === 0) text = text.slice(0, at) + String.fromCharCode(pick(256)) + text.slice(at + 1);
    else if (kind === 1) text = text.slice(0, at) + text.slice(at + 1 + pick(3));
    else if (kind === 2) text = lines.toSpliced(line, 1).join('\n');
    else if (kind === 3) text = lines.toSpliced(line, 0, lines[pick(lines.length)] ?? '').join('\n');
    else if (kind === 4) text = text.replace(/\b[0-9]\b/, String(pick(4)));
    else text = text.replaceAll(/\b(all|any|[12])\b/g, () => ['all', 'any', '1', '2', '0', '01'][pick(6)] ?? '');
  }
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

test('TypeScript and Python return the expected result for every vector', { timeout: 120_000 }, async () => {
  const cases = listVoucherCases();
  const given = cases.map(({ proof, policy }) => ({ proof: toUtf8(proof), policy: toUtf8(policy) }));
  const theirs = await askPython(given);
  for (const [at, { name, expected }] of cases.entries()) {
    const { proof, policy } = given[at] ?? { proof: toUtf8(''), policy: toUtf8('') };
    expect([name, await readVoucher(proof, policy), theirs[at]]).toEqual([name, expected, expected]);
  }
  expect(cases.length).toBeGreaterThanOrEqual(60);
});

test('TypeScript and Python return the same result for a proof, and for mutants of it and its policy', {
  tags: 'long',
  timeout: 600_000,
}, async () => {
  const quantum = postQuantumSigner('quantum.example');
  const witnesses = [testSigner('COSIGNATURE', 'one.example'), testSigner('COSIGNATURE', 'two.example'), quantum];
  const entries = Array.from({ length: 11 }, (_, at) => toUtf8(`entry ${at}`));
  const tree = buildMerkleTree(entries.map(entry => hashLeaf(entry)));
  let checkpoint = await signCheckpoint({ origin: logSigner.name, size: 11, root: tree.root }, [logSigner]);
  const { text } = parseSignedNote(checkpoint);
  for (const [at, witness] of witnesses.entries())
    checkpoint = addSignatureLines(checkpoint, await signCosignatureLine(text, witness, 1_790_000_000 - at));
  const proof = writeTlogProof({ index: 6, path: tree.pathOf(6), extra: entries[6] ?? toUtf8(''), checkpoint });
  const lines = [
    `log ${toTypedKeyText(logSigner)}`,
    ...witnesses.map((key, at) => `witness W${at} ${toTypedKeyText(key)} https://w`),
  ];
  const policy = toUtf8(
    [...lines, '# comment', 'group A 2 W0 W1', 'group B any W2', 'group C all A B', 'quorum C', ''].join('\n'),
  );
  const random = randomNumbers(26);
  const given = [{ proof, policy }];
  for (let at = 0; at < mutants; at++)
    given.push(at % 2 === 0 ? { proof: mutate(proof, random), policy } : { proof, policy: mutate(policy, random) });
  const ours: VoucherCase['expected'][] = [];
  for (const one of given) ours.push(await readVoucher(one.proof, one.policy));
  const theirs = await askPython(given);
  expect(ours[0]).toEqual({
    isSignedByLog: true,
    isContradicted: false,
    isReached: true,
    time: 1_790_000_000,
    isIncluded: true,
  });
  const apart = given.flatMap((one, at) =>
    JSON.stringify(ours[at]) === JSON.stringify(theirs[at])
      ? []
      : [
          {
            ours: ours[at],
            theirs: theirs[at],
            proof: Buffer.from(one.proof).toString('latin1'),
            policy: Buffer.from(one.policy).toString('latin1'),
          },
        ],
  );
  expect(apart).toEqual([]);
  expect(new Set(ours.map(verdict => JSON.stringify(verdict))).size).toBeGreaterThan(3);
});
