// The command line of the existence check: what is found beside the file, what is reported, and with which exit code.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signCosignatureLine } from '@recordproof/shared/evidence/cosignature.ts';
import { digestOf, parseUtf8, sha256, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { writeEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { writeOts } from '@recordproof/shared/evidence/ots.ts';
import { addSignatureLines, parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { afterAll, expect, test } from 'vitest';
import {
  content,
  cosign,
  flip,
  makeProof,
  makeTree,
  makeWorld,
  policyText,
  signTree,
  toProof,
  witnesses,
} from '../../../test/support/existence-world.ts';
import { bitcoinOts } from '../../../test/support/ots-files.ts';
import { testWith } from '../../../test/support/programs.ts';
import { makeAuthority } from '../../../test/support/time-stamp-authority.ts';
import { main } from '../cli.ts';

const root = mkdtempSync(join(tmpdir(), 'existence-command-'));
afterAll(() => rmSync(root, { recursive: true }));
const world = await makeWorld();
const policy = join(root, 'policy.txt');
writeFileSync(policy, policyText());

/** A folder with the file and what lies beside it. */
function writeCase(files: Readonly<Record<string, Uint8Array>>): string {
  const file = join(mkdtempSync(join(root, 'case-')), 'report.pdf');
  writeFileSync(file, content);
  for (const [end, bytes] of Object.entries(files)) writeFileSync(file + end, bytes);
  return file;
}

const run = (args: readonly string[], stdin: Uint8Array = content) => runMain(['existence', ...args], stdin);

async function runMain(args: readonly string[], stdin: Uint8Array = content) {
  const written = { stdout: '', stderr: '' };
  const code = await main(args, {
    stdin: (async function* () {
      yield stdin;
    })(),
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
  });
  return { code, ...written };
}

const beside = { '.proof.zip': world.archive, '.tlog-proof': world.tlogProof };
const packed = { '.evidence.zip': writeEvidenceArchive({ archive: world.archive, tlogProof: world.tlogProof }) };

test('evidence beside the file is found, separate or packed', async () => {
  for (const files of [beside, packed]) {
    const { code, stdout, stderr } = await run([writeCase(files), '--policy', policy]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^EXISTED: these bytes existed no later than 2026-09-21 14:16:40 UTC\.\n/);
  }
});

test('a named archive and standard input are accepted', async () => {
  const file = writeCase(packed);
  expect((await run(['-', `${file}.evidence.zip`, '--policy', policy])).code).toBe(0);
  expect((await run(['-', `${file}.evidence.zip`, '--policy', policy], flip(content, 1))).code).toBe(2);
  expect((await run(['-', '--policy', policy])).code).toBe(64);
});

test('exit codes: 2 for a contradiction, 3 for not shown, 4 for damage, 64 for wrong usage', async () => {
  const file = writeCase(beside);
  expect((await run([file])).code).toBe(3);
  expect((await run([file, '--policy', policy, '--require', 'rfc3161'])).code).toBe(3);
  writeFileSync(file, flip(content, 1));
  const other = await run([file, '--policy', policy]);
  expect([other.code, other.stdout]).toEqual([
    2,
    expect.stringMatching(/^CONTRADICTED: .*\nReason: ARCHIVE_CONTRADICTED\n/),
  ]);
  expect(
    (await run([writeCase({ '.evidence.zip': packed['.evidence.zip'].subarray(0, 99) }), '--policy', policy])).code,
  ).toBe(4);
  const absent = await run([join(root, 'none'), '--policy', policy]);
  expect([absent.code, absent.stderr]).toEqual([4, expect.stringContaining('There is no file')]);
  for (const args of [
    [],
    [file, 'a', 'b'],
    [file, '--require', 'everybody'],
    [file, '--format', 'xml'],
    [file, '--online'],
  ])
    expect([args, (await run(args)).code]).toEqual([args, 64]);
});

test('a report without an answer names what is missing: a policy, or a requirement', async () => {
  const file = writeCase(beside);
  const { stdout: unnamed } = await run([file]);
  expect(unnamed).toContain('Witnesses need a policy with the keys that you trust: --policy FILE');
  expect(unnamed).toContain('No policy was given: the 4 signatures of logs and witnesses are not checked.');
  expect((await run([writeCase({ '.proof.zip': world.archive })])).stdout).toContain('None: there is no voucher.');
  const unmet = ['--policy', policy, '--require', 'witness:4'];
  const { stdout } = await run([file, ...unmet]);
  expect(stdout).toMatch(/^NOT SHOWN: nothing speaks against it, but not all that you asked for is shown\./);
  expect((await run([file, ...unmet, '--language', 'zh'])).stdout).toContain('不诚实的见证人少于法定数所需的人数');
});

test('the last second that a cosignature can state is shown completely', async () => {
  const last = 8_640_000_000_000;
  const { text } = parseSignedNote(world.signed);
  const lines = await Promise.all(witnesses.map(witness => signCosignatureLine(text, witness, last)));
  const checkpoint = addSignatureLines(world.signed, lines.join(''));
  const file = writeCase({ ...beside, '.tlog-proof': toProof(world.tree, world.entry, checkpoint) });
  const { stdout } = await run([file, '--policy', policy]);
  expect(stdout).toMatch(/^EXISTED: these bytes existed no later than \+275760-09-13 00:00:00 UTC\./);
});

testWith('openssl')('a time stamp beside the file meets the requirement with given roots', async () => {
  const { stamp, rootsPath } = makeAuthority(mkdtempSync(join(root, 'authority-')));
  const file = writeCase({ ...beside, '.tsr': stamp(world.stampDigest) });
  const required = ['--require', 'witness:2,rfc3161', '--policy', policy, '--tsa-roots', rootsPath];
  const { code, stdout } = await run([file, ...required, '--format', 'json']);
  const report = JSON.parse(stdout);
  expect([code, report.outcome, report.schemaVersion]).toEqual([0, 'EXISTED', 'existence-report.v1']);
  expect(
    report.required.map(({ requirement, isMet }: { requirement: string; isMet: boolean }) => [requirement, isMet]),
  ).toEqual([
    ['witness:2', true],
    ['rfc3161', true],
  ]);
  expect(stdout).not.toContain(root);
  expect(parseUtf8(world.checkpoint)).toContain(report.checkpoint.origin);
});

test('an evidence archive with another structure is reported as damaged, also by its first entry', async () => {
  const file = writeCase({ '.evidence.zip': world.archive });
  const { code, stdout } = await run([file, '--policy', policy]);
  expect([code, stdout.split('\n')[1]]).toEqual([4, 'Reason: EVIDENCE_DAMAGED']);
});

testWith('openssl')('two valid exports of one proof under two checkpoints do not contradict each other', async () => {
  const { stamp, rootsPath } = makeAuthority(mkdtempSync(join(root, 'later-')));
  const tree = makeTree(world.entry, { size: 12 });
  const checkpoint = await cosign(await signTree(tree));
  const { text } = parseSignedNote(checkpoint);
  const tlogProof = toProof(tree, world.entry, checkpoint);
  const later = { archive: world.archive, tlogProof, stamp: stamp(sha256(toUtf8(text))) };
  const file = writeCase({ ...beside, '.evidence.zip': writeEvidenceArchive(later) });
  const required = ['--require', 'witness:2,rfc3161', '--policy', policy, '--tsa-roots', rootsPath];
  for (const named of [[], [`${file}.evidence.zip`]]) {
    const certificate = `${file}.${named.length}.html`;
    const { code, stdout } = await run([file, ...named, ...required, '--certificate', certificate]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^EXISTED: .*\nFile: .*\nCheckpoint: .*, 12 entries\n/)]);
    const html = readFileSync(certificate, 'utf8');
    expect(html).toContain('report.pdf.evidence.zip: proof.tlog-proof');
    expect(html).toContain(digestOf(tlogProof));
  }
  const { stdout } = await runMain([file, ...required]);
  expect(stdout).toContain('EXISTED: these bytes existed no later than');
});

test('verify reads the evidence archive beside a proof archive of the same proof only', async () => {
  const bare = writeCase({ '.proof.zip': world.archive, ...packed });
  expect((await runMain([bare, '--policy', policy])).stdout).toContain('EXISTED: these bytes existed no later than');
  const other = await makeProof({ leafIndex: 3 });
  const renewed = writeCase({ '.proof.zip': other.archive, ...packed });
  expect((await runMain([renewed, '--policy', policy])).stdout).toContain('TLOG_PROOF_ABSENT');
  const { code, stdout } = await run([renewed, '--policy', policy]);
  expect([code, stdout.split(':')[0]]).toEqual([0, 'EXISTED']);
});

test('verify accepts an evidence archive as a proof archive, and adds when the file existed', async () => {
  for (const files of [beside, packed]) {
    const { code, stdout, stderr } = await runMain([writeCase(files), '--policy', policy]);
    expect([code, stderr]).toEqual([3, '']);
    expect(stdout).toContain('Result: INDETERMINATE');
    expect(stdout).toContain('EXISTED: these bytes existed no later than 2026-09-21 14:16:40 UTC.');
  }
  const file = writeCase(packed);
  const named = await runMain([
    '--file',
    '-',
    '--proof',
    `${file}.evidence.zip`,
    '--format',
    'json',
    '--policy',
    policy,
  ]);
  const report = JSON.parse(named.stdout);
  expect([named.code, report.outcome, report.existence.outcome]).toEqual([3, 'INDETERMINATE', 'EXISTED']);
  writeFileSync(file, flip(content, 1));
  const other = await runMain([file, '--format', 'json', '--policy', policy]);
  const otherReport = JSON.parse(other.stdout);
  expect([other.code, otherReport.outcome, otherReport.existence.outcome]).toEqual([2, 'INVALID', 'CONTRADICTED']);
});

test('verify omits the time without evidence beside the file, and reads the file for a damaged archive', async () => {
  const plain = await runMain([writeCase({ '.proof.zip': world.archive }), '--format', 'json']);
  expect(JSON.parse(plain.stdout)).not.toHaveProperty('existence');
  const ots = writeOts(bitcoinOts(world.digest, [], 1));
  const broken = await runMain([writeCase({ '.proof.zip': toUtf8('x'), '.ots': ots }), '--format', 'json']);
  const { existence } = JSON.parse(broken.stdout);
  expect(existence.vouchers.map(({ code }: { code: string }) => code)).toEqual(['HEADERS_ABSENT']);
});

test('the certificate states no hash of a file that was not read to its end', async () => {
  const file = writeCase(beside);
  const large = join(root, 'large-policy.txt');
  writeFileSync(large, `${policyText()}${'#\n'.repeat(600_000)}`);
  const { code } = await run([file, '--policy', large, '--certificate', `${file}.html`]);
  expect(code).toBe(4);
  expect(readFileSync(`${file}.html`, 'utf8')).toContain('<bdi>large-policy.txt</bdi><br><code>not read</code>');
});

test('the certificate holds the answer, a hash per file, and a command to repeat it, in two languages', async () => {
  const file = writeCase(packed);
  for (const [language, title] of [
    ['en', 'Certificate of existence'],
    ['zh', '存在证明书'],
  ] as const) {
    const out = `${file}.${language}.html`;
    const args = [file, '--policy', policy, '--language', language, '--certificate', out];
    expect((await run(args)).code).toBe(0);
    const document = readFileSync(out, 'utf8');
    expect(document).toContain(`<h1>${title}</h1>`);
    for (const bytes of [content, world.archive, world.tlogProof]) expect(document).toContain(digestOf(bytes));
    for (const entry of ['proof-archive.zip', 'proof.tlog-proof'])
      expect(document).toContain(`<bdi>report.pdf.evidence.zip: ${entry}</bdi>`);
    expect(document).toContain('2026-09-21 14:16:40 UTC');
    expect(document).toContain('recordproof-verify existence report.pdf --policy=policy.txt');
    expect(document).not.toContain(root);
    expect((await run(args)).code).toBe(64);
  }
  const loose = writeCase(beside);
  await run([loose, '--certificate', `${loose}.html`]);
  for (const name of ['report.pdf.proof.zip', 'report.pdf.tlog-proof'])
    expect(readFileSync(`${loose}.html`, 'utf8')).toContain(`<bdi>${name}</bdi>`);
  const none = `${file}.none.html`;
  expect((await run([file, '--certificate', none])).code).toBe(3);
  expect(readFileSync(none, 'utf8')).toContain('<h1>Existence report, not a certificate</h1>');
  expect((await run([file, '--certificate', join(root, 'no-folder', 'x.html')])).code).toBe(4);
  expect((await run([file, '--language', 'zh', '--policy', policy])).stdout).toContain('这些字节最迟在');
});

test('existence opens no connection: it runs where the runtime permits none', { tags: 'long' }, () => {
  const run = (...args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, ['--permission', '--allow-fs-read=*', ...args], {
      encoding: 'utf8',
    });
    return { status, first: stdout.split('.')[0] };
  };
  const probe = `require('node:net').connect(1, '127.0.0.1').on('error', ({ code }) => console.log(code))`;
  expect(run('-e', probe).first).toContain('ERR_ACCESS_DENIED');
  const program = fileURLToPath(new URL('../main.ts', import.meta.url));
  expect(run(program, 'existence', writeCase(beside), '--policy', policy)).toEqual({
    status: 0,
    first: 'EXISTED: these bytes existed no later than 2026-09-21 14:16:40 UTC',
  });
});
