// Proofs that the desktop app saves: an archive with its vouchers beside it, or one file; no other file is replaced.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from '@recordproof/shared/api/files.ts';
import { isEvidenceArchive, readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { testPassword } from '../../../test/support/app.ts';
import { sendFile } from '../../../test/support/uploads.ts';
import { startWitnessedApp } from '../../../test/support/witnessed-app.ts';
import type { ProofForm } from '../bridge/bridge.ts';
import { openTestProgram, type TestProgram } from '../testing.ts';

let witnessed: Awaited<ReturnType<typeof startWitnessedApp>>;
let desktop: TestProgram;
let folder: string;
let fileId: string;

beforeAll(async () => {
  witnessed = await startWitnessedApp();
  const { app } = witnessed;
  desktop = await openTestProgram();
  const ada = await app.person('ada');
  await sendFile(ada, Buffer.from('what is proven'), 'report.pdf');
  fileId = (await ada.call(listFiles, {})).records[0]?.id ?? '';
  await witnessed.vouch(ada);
  await desktop.bridge.shell?.addServer(app.app.url);
  await desktop.bridge.session.signIn({ username: 'ada', password: testPassword, stay: false });
});
afterAll(async () => {
  await desktop[Symbol.asyncDispose]();
  await witnessed[Symbol.asyncDispose]();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recordproof-saved-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Resolves to the state that it ends in. */
async function save(name: string, form: ProofForm) {
  desktop.saveTo = join(folder, name);
  const { downloads } = desktop.bridge;
  const before = downloads.list.get().length;
  await downloads.start({ kind: 'proof', fileId, fileName: `report.pdf.${form}.zip`, form });
  const state = () => downloads.list.get()[before]?.state;
  await expect.poll(() => state()?.kind).toMatch(/done|failed/);
  return state();
}

test('a proof archive is saved with its vouchers beside it, or with all in one file', async () => {
  expect(await save('report.pdf.proof.zip', 'proof')).toMatchObject({ kind: 'done' });
  expect((await readdir(folder)).sort()).toEqual(['report.pdf.proof.zip', 'report.pdf.tlog-proof']);
  expect(await save('all.evidence.zip', 'evidence')).toMatchObject({ kind: 'done' });
  const packed = await readFile(join(folder, 'all.evidence.zip'));
  expect(isEvidenceArchive(packed)).toBe(true);
  const { archive, tlogProof } = readEvidenceArchive(packed);
  expect((await readFile(join(folder, 'report.pdf.proof.zip'))).equals(archive)).toBe(true);
  expect((await readFile(join(folder, 'report.pdf.tlog-proof'))).equals(tlogProof ?? new Uint8Array())).toBe(true);
  expect(await save('report.pdf.proof.zip', 'proof')).toMatchObject({ kind: 'done' });
});

test('a voucher with other content is not replaced, and the archive is not written', async () => {
  await writeFile(join(folder, 'report.pdf.tlog-proof'), 'of another checkpoint');
  const failed = await save('report.pdf.proof.zip', 'proof');
  expect(failed).toMatchObject({ kind: 'failed', reason: { code: 'target-exists' } });
  expect(await readdir(folder)).toEqual(['report.pdf.tlog-proof']);
  expect(await readFile(join(folder, 'report.pdf.tlog-proof'), 'utf8')).toBe('of another checkpoint');
});
