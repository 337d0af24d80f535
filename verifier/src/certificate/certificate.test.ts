// Printed certificates: wording per verdict, notes, safe file names, exit codes, existing output files.
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { maxEvidenceBytes } from '@recordproof/shared/evidence/evidence-archive.ts';
import { afterAll, expect, test } from 'vitest';
import { cannedEvidence } from '../../../test/support/canned-evidence.ts';
import { listVectors, serveVectors } from '../../../test/support/vectors.ts';
import { main } from '../cli.ts';
import { nodePlatform } from '../node/node-platform.ts';
import type { VerifiedFiles } from '../node/verify-files.ts';
import type { OnlineOptions } from '../options.ts';
import type { Outcome } from '../verify/report.ts';
import { verifyProof } from '../verify/verify-proof.ts';
import { toCertificate } from './certificate.ts';
import { toCertificateHtml } from './certificate-html.ts';
import { toCertificateText } from './certificate-text.ts';

const vectors = fileURLToPath(new URL('../../../test/vectors/', import.meta.url));
const common = `${vectors}common/`;
const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const given = [`--file=${common}plain.bin`, `--proof=${vectors}key-none_ok/proof.zip`];
const key = `--trusted-key=${common}issuer.json`;
const sha256 = (path: string) => hash('sha256', readFileSync(path), 'hex');

async function run(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const code = await main(['certificate', ...args], {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
  });
  return { code, ...written };
}

const safe: OnlineOptions = {
  issuerBaseUrl: 'https://issuer.example',
  chainUrlTemplate: 'https://chain.example/{batchNo}',
  allowedHosts: ['issuer.example', 'chain.example'],
  allowHttp: false,
  allowPrivateAddresses: false,
};

async function judged(name: string): Promise<VerifiedFiles> {
  const vector = listVectors().find(candidate => candidate.name === name);
  if (vector === undefined) throw new Error(`no vector ${name}`);
  const archive = readFileSync(vector.proofPath);
  const original = new Blob([readFileSync(vector.originalPath)]).stream();
  const live = vector.live === undefined ? {} : { live: cannedEvidence(vector.live) };
  const inputs = { archive, ...(vector.trustedKeyPath ? { trustedKey: readFileSync(vector.trustedKeyPath) } : {}) };
  const report = await verifyProof({ ...inputs, ...live, original, maxOriginalBytes: 1_000_000 }, nodePlatform);
  return { ...inputs, report };
}

const certify = (files: VerifiedFiles, online: OnlineOptions | undefined, file = 'a.pdf') =>
  toCertificate({ file, proof: 'a.zip', maxFileBytes: 1, ...(online === undefined ? {} : { online }) }, files);

test.each([
  ['html', '<p class="outcome">INDETERMINATE</p>'],
  ['text', 'Result: INDETERMINATE\n'],
])('the certificate as %s contains the result, the digests of the inputs and every check', async (format, result) => {
  const out = join(folder, `document.${format}`);
  const { code, stdout } = await run(...given, key, `--format=${format}`, `--out=${out}`);
  expect([code, stdout]).toEqual([3, 'Result: INDETERMINATE\nVerification report, not a certificate: written.\n']);
  const text = readFileSync(out, 'utf8');
  expect(text).toContain(result);
  expect(text).toContain('Do not treat this as a confirmation.');
  for (const path of [`${common}plain.bin`, `${vectors}key-none_ok/proof.zip`, `${common}issuer.json`])
    expect(text).toContain(`sha256:${sha256(path)}`);
  for (const id of ['archive.structure', 'merkle.path', 'signature.jws', 'status.current', 'chain.live-root'])
    expect(text).toContain(id);
  expect(text).not.toContain(common);
});

test('an existing file is not overwritten, and then nothing is verified', async () => {
  const out = join(folder, 'mine.txt');
  writeFileSync(out, 'mine');
  const { code, stdout, stderr } = await run(...given, `--out=${out}`);
  expect([code, stdout, readFileSync(out, 'utf8')]).toEqual([64, '', 'mine']);
  expect(stderr).toContain('already exists');
});

test('a document that cannot be written is an error, and leaves no file', async () => {
  const before = readdirSync(folder);
  const { code, stderr } = await run(...given, `--out=${join(folder, 'none', 'x.html')}`);
  expect([code, stderr]).toEqual([4, 'The document could not be written.\n']);
  expect(readdirSync(folder)).toEqual(before);
});

test('wrong usage exits with 64, and --help prints the options', async () => {
  for (const args of [given, [...given, '--out=x', '--format=json'], ['--out=x'], [...given, '--out=x', '--online']])
    expect((await run(...args)).code).toBe(64);
  expect((await run('--help')).stdout).toContain('--out DOCUMENT');
});

test.each<[string, Outcome]>([
  ['key-none_ok', 'INDETERMINATE'],
  ['live-revoked_fail', 'INVALID'],
  ['content-one-bit_fail', 'INVALID'],
  ['zip-comment_fail', 'ERROR'],
])('%s is never called a certificate', async (name, outcome) => {
  const certificate = certify(await judged(name), safe);
  expect(certificate.report.outcome).toBe(outcome);
  expect(certificate.title).toBe('Verification report, not a certificate');
  const page = toCertificateHtml(certificate).replace(/<style>.*<\/style>/s, '');
  for (const text of [page, toCertificateText(certificate)]) {
    expect(text).toContain(outcome);
    expect(text).not.toMatch(/\bVALID\b|The proof holds|Certificate of/);
  }
});

test('VALID is called a certificate, unless protections were turned off', async () => {
  const files = await judged('live-plain_ok');
  const certificate = certify(files, safe);
  expect([certificate.title, certificate.note]).toEqual(['Certificate of verification', undefined]);
  expect(certificate.statement).toBe(
    'The file “a.pdf” existed in exactly this form on 31 January 2026, as far as the ledger at chain.example shows; its issuer, issuer.example, stands by that today. The date is the word of the issuer alone: no entry of a ledger was read.',
  );
  const dated = certify(await judged('date-ledger-plain_ok'), safe);
  expect(dated.statement).toContain('The ledger recorded it at 2026-01-31T11:59:00.000Z. That time is by the clock of');
  expect(certificate.asked).toContain('https://chain.example/{batchNo}');
  for (const off of [{ allowHttp: true }, { allowPrivateAddresses: true }]) {
    const tested = certify(files, { ...safe, ...off });
    expect(tested.title).toBe('Verification report, not a certificate');
    for (const text of [toCertificateHtml(tested), toCertificateText(tested)])
      expect(text.replaceAll(/\s+/g, ' ')).toContain('were allowed for a test');
  }
});

test('with the server on loopback it is a certificate with a note', async () => {
  const own = { ...safe, issuerBaseUrl: 'http://127.0.0.1:8080', allowedHosts: ['127.0.0.1:8080'] };
  const certificate = certify(await judged('live-plain_ok'), own);
  expect(certificate.title).toBe('Certificate of verification');
  expect(certificate.note).toContain('asked on the machine that wrote this');
  expect(toCertificateHtml(certificate)).not.toContain('must not be relied');
});

test('the printed command returns the same verdict', async () => {
  await using world = await serveVectors(listVectors());
  const online = world.onlineArguments('live-plain_ok');
  const inputs = {
    'a file.bin': `${common}plain.bin`,
    'a.zip': `${vectors}live-plain_ok/proof.zip`,
    'key.json': `${common}issuer.json`,
  };
  for (const [name, path] of Object.entries(inputs)) copyFileSync(path, join(folder, name));
  const [file, proof, trusted] = Object.keys(inputs).map(name => join(folder, name));
  const out = join(folder, 'certificate.txt');
  const given = [file ?? '', proof ?? '', `--trusted-key=${trusted}`, '--format=text', `--out=${out}`];
  expect((await run(...given, ...online)).code).toBe(0);
  const command = /^ {2}recordproof-verify (.*)$/m.exec(readFileSync(out, 'utf8'))?.[1] ?? '';
  const launcher = fileURLToPath(new URL('../../bin/recordproof-verify.mjs', import.meta.url));
  const again = spawn('sh', ['-c', `"${process.execPath}" "${launcher}" ${command}`], { cwd: folder, stdio: 'ignore' });
  const [code] = await once(again, 'exit');
  expect(code).toBe(0);
});

test('a key named only by the issuer is marked as such', async () => {
  expect(certify(await judged('live-issuer-key_ok'), safe).asked).toContain('the one that the issuer named');
});

test('an input that was not read completely has no digest', async () => {
  const files = await judged('zip-comment_fail');
  const [original, archive] = certify(files, undefined).inputs;
  expect([original?.sha256, archive?.bytes]).toEqual([undefined, files.archive.length]);
  const tooLarge = { ...files, archive: new Uint8Array(maxEvidenceBytes + 1) };
  expect(certify(tooLarge, undefined).inputs[1]).toEqual({ role: 'Proof archive', name: 'a.zip' });
  expect(toCertificateHtml(certify(tooLarge, undefined))).toContain('not read to its end');
});

test('a file name can neither become markup nor hide text nor reverse the line', async () => {
  const name = `/x/<img src=x onerror="alert(1)">&'\u202efdp.exe\n\u0007`;
  const certificate = certify(await judged('key-none_ok'), undefined, name);
  const html = toCertificateHtml(certificate);
  expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;');
  expect(html).not.toContain('<img');
  for (const hidden of ['\u202e', '\u0007']) expect(`${html}${toCertificateText(certificate)}`).not.toContain(hidden);
  expect(certificate.command).toContain(`'\\''`);
});

test('the page has a policy without scripts and connections', async () => {
  const html = toCertificateHtml(certify(await judged('key-none_ok'), undefined));
  expect(html).toMatch(/content="default-src 'none'; style-src 'sha256-[^;]+; base-uri 'none'; form-action 'none'"/);
  expect(html).not.toMatch(/<script|<link|\s(?:src|style|on[a-z]+)=/);
});
