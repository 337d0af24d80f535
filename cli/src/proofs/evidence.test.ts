// Files beside a proof, with a real server and a real witness, and their verification.
import { once } from 'node:events';
import { readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { errorTable } from '@recordproof/shared/api/errors.ts';
import { readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { parseTypedKey } from '@recordproof/shared/evidence/note-keys.ts';
import { expect, test } from 'vitest';
import { startWitnessedApp } from '../../../test/support/witnessed-app.ts';
import { openHome } from '../testing.ts';

async function openFixture() {
  await using stack = new AsyncDisposableStack();
  const { app, witness, witnessKey, policy } = stack.use(await startWitnessedApp());
  const home = stack.use(await openHome());
  const ada = await app.person('ada');
  await writeFile(join(home.path, 'policy.txt'), policy);
  const at = (name: string) => join(home.path, name);
  await writeFile(at('report.pdf'), 'what is proven');
  const variables = { RECORDPROOF_SERVER: app.app.url, RECORDPROOF_TOKEN: ada.token ?? '' };
  const parts = stack.move();
  return {
    ...{ app, witness, at, key: parseTypedKey(witnessKey) },
    run: (...args: string[]) => home.runHere(args, { env: variables }),
    names: async () => (await readdir(home.path)).filter(name => name.startsWith('report.pdf')).sort(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

test('vouchers are awaited, written beside the archive or in one file, and verify when the file existed', {
  tags: 'long',
}, async () => {
  await using fixture = await openFixture();
  const file = fixture.at('report.pdf');
  const stored = JSON.parse((await fixture.run('prove', file, '--no-wait', '--json')).stdout).files[0];
  await fixture.app.drain();
  const again = ['prove', file, '--skip-existing', '--wait-vouched', '--patience', '60', '--json'];
  const proved = await fixture.run(...again);
  expect(proved).toMatchObject({ code: 0 });
  expect(JSON.parse(proved.stdout).files[0].proof.vouchers).toEqual([`${file}.tlog-proof`]);
  expect(await fixture.names()).toEqual(['report.pdf', 'report.pdf.proof.zip', 'report.pdf.tlog-proof']);
  const tlogProof = await readFile(`${file}.tlog-proof`, 'utf8');
  expect(tlogProof).toContain(`— ${fixture.key.name} `);

  const verified = await fixture.run('verify', file, '--policy', fixture.at('policy.txt'), '--offline', '--json');
  expect(JSON.parse(verified.stdout)).toMatchObject({ outcome: 'INDETERMINATE', existence: { outcome: 'EXISTED' } });
  expect(verified.code).toBe(3);
  const untrusted = (await fixture.run('verify', file, '--offline')).stdout;
  expect(untrusted).toContain('NOT SHOWN: no voucher contradicts it');
  expect(untrusted).toContain('? witness one.example');
  expect(untrusted).toContain(': --policy FILE');

  await writeFile(`${file}.tlog-proof`, 'mine');
  const exported = await fixture.run(
    'proofs',
    'export',
    stored.fileId,
    '-o',
    `${file}.proof.zip`,
    '--force',
    '--wait-vouched',
  );
  expect(exported.code).toBe(0);
  expect(await readFile(`${file}.tlog-proof`, 'utf8')).toBe(tlogProof);
  await writeFile(`${file}.tlog-proof`, 'mine');
  const other = await fixture.run('proofs', 'export', stored.fileId, '-o', fixture.at('report.pdf.zip'));
  expect([other.code, other.stderr]).toEqual([0, expect.stringContaining('report.pdf.tlog-proof exists')]);
  expect(await readFile(`${file}.tlog-proof`, 'utf8')).toBe('mine');

  const packed = fixture.at('all.evidence.zip');
  expect((await fixture.run('proofs', 'export', stored.fileId, '--one-file', '-o', packed)).code).toBe(0);
  const evidence = readEvidenceArchive(await readFile(packed));
  expect(Buffer.from(evidence.tlogProof ?? []).toString()).toBe(tlogProof);
  const named = await fixture.run('verify', file, packed, '--policy', fixture.at('policy.txt'), '--offline', '--json');
  expect(JSON.parse(named.stdout)).toMatchObject({ outcome: 'INDETERMINATE' });
});

test('without a responding witness the proof is written, and the command exits with 75', { tags: 'long' }, async () => {
  await using fixture = await openFixture();
  await fixture.witness.kill();
  const file = fixture.at('report.pdf');
  const stored = JSON.parse((await fixture.run('prove', file, '--no-wait', '--json')).stdout).files[0];
  await fixture.app.drain();
  const late = await fixture.run(
    'proofs',
    'export',
    stored.fileId,
    '-o',
    `${file}.proof.zip`,
    '--wait',
    '1',
    '--wait-vouched',
  );
  expect([late.code, late.stderr]).toEqual([75, expect.stringContaining('no third party has confirmed')]);
  const proving = await fixture.run('prove', file, '--wait-vouched', '--patience', '1', '--one-file');
  expect([proving.code, proving.stderr]).toEqual([
    75,
    expect.stringContaining('but no third party has confirmed the time of its proof yet; the proof itself is written'),
  ]);
  expect(proving.stderr).toMatch(/later: recordproof proofs export \d+ --one-file --force\n/);
  await unlink(`${file}.evidence.zip`);
  expect(await fixture.names()).toEqual(['report.pdf', 'report.pdf.proof.zip']);
});

/** A server of the last release, which has no evidence endpoints. */
async function openLastRelease(url: string) {
  const server = createServer(async (request, response) => {
    if (/evidence/.test(request.url ?? '')) {
      request.resume();
      const { status, code } = errorTable.NOT_FOUND;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code, message: 'there is nothing at this address', data: null }));
      return;
    }
    const forwarded = send(url + request.url, { method: request.method, headers: request.headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

test('archives of a server of the last release are written, and missing vouchers are reported', {
  tags: 'long',
}, async () => {
  await using fixture = await openFixture();
  await using last = await openLastRelease(fixture.app.app.url);
  const file = fixture.at('report.pdf');
  const stored = JSON.parse((await fixture.run('prove', file, '--no-wait', '--json')).stdout).files[0];
  await fixture.app.drain();
  const run = (...args: string[]) => fixture.run(...args, '--server', last.url);
  const proved = await run('prove', file, '--skip-existing');
  expect([proved.code, await fixture.names()]).toEqual([0, ['report.pdf', 'report.pdf.proof.zip']]);
  const again = ['-o', `${file}.proof.zip`, '--force'];
  const exported = await run('proofs', 'export', stored.fileId, ...again, '--wait-vouched');
  expect([exported.code, exported.stderr]).toEqual([75, expect.stringContaining('hands out no vouchers')]);
  expect(await fixture.names()).toEqual(['report.pdf', 'report.pdf.proof.zip']);
  const packed = fixture.at('all.evidence.zip');
  expect((await run('proofs', 'export', stored.fileId, '--one-file', '-o', packed)).code).toBe(0);
  expect(readEvidenceArchive(await readFile(packed)).tlogProof).toBeUndefined();
  expect((await run('verify', file, '--offline')).code).toBe(3);
});
