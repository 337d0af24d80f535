// @module-tag long-on-postgres
// Receipts are checked by the verifier alone, after the owner has deleted the file, the link and the account, and the server
// is gone.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteUser } from '@recordproof/shared/api/accounts.ts';
import * as api from '@recordproof/shared/api/drop-links.ts';
import { deleteFile } from '@recordproof/shared/api/files.ts';
import { emptyTrash } from '@recordproof/shared/api/trash.ts';
import { main } from '@recordproof/verifier/cli.ts';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { createDrop, dropPorts, enter, toDropFile } from '../../../../test/support/drops.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';

const root = await mkdtemp(join(tmpdir(), 'recordproof-receipt-'));
afterAll(() => rm(root, { recursive: true, force: true }));

async function keep(name: string, content: Uint8Array | string): Promise<string> {
  const path = join(root, name);
  await writeFile(path, content);
  return path;
}

async function verify(...args: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const write = (more: string) => (text += more);
  const code = await main(['receipt', ...args], {
    stdin: (async function* () {})(),
    stdout: { write },
    stderr: { write },
  });
  return { code, text };
}

/** What a stranger has in hand once everything on the server is gone. */
async function receive() {
  await using app = await startApp({ env: laptop });
  const owner = await app.person('owner');
  const root = await app.person('root', { role: 'admin' });
  const link = await createDrop(owner, { path: 'In', fields: [{ label: 'Name', kind: 'NAME' }] });
  const stranger = await enter(dropPorts(app.app.url, link.code), { fields: { Name: 'Li Lei' } });
  const bytes = await pattern(20_000);
  const { id, fileHash } = await stranger.send(toDropFile(bytes, 'a\u00e9.pdf'));
  const receipt = await (await stranger.receipt(id)).text();
  const header = JSON.parse(
    Buffer.from(receipt.split('"statement": "')[1]?.split('.')[0] ?? '', 'base64url').toString(),
  );
  const keyPath = `/api/v1/public/proof-keys/${header.kid}/versions/${header.keyVersion}`;
  const key = JSON.stringify((await (await app.anonymous.fetch(keyPath)).json()).data);
  const ledgerKey = await (await app.anonymous.fetch('/ledger/key')).text();
  await owner.call(deleteFile, { params: { hash: fileHash ?? '' } });
  await owner.call(emptyTrash, { body: {} });
  await owner.call(api.deleteDropLink, { params: { id: link.id } });
  const { db } = app.app.database;
  const account = await db.selectFrom('account').select('id').where('username', '=', 'owner').executeTakeFirstOrThrow();
  await root.call(deleteUser, { params: { id: String(account.id) }, query: { files: 'delete' } });
  await app.drain();
  expect(await db.selectFrom('drop_arrival').selectAll().execute()).toEqual([]);
  return { bytes, receipt, key, ledgerKey };
}

test('a receipt is valid without the server, and every change to it is detected', async () => {
  const { bytes, receipt, key, ledgerKey } = await receive();
  const file = await keep('file', bytes);
  const trusted = ['--trusted-key', await keep('key.json', key)];
  const ledger = ['--ledger-key', await keep('ledger.key', ledgerKey)];
  const whole = await keep('receipt.json', receipt);
  const valid = await verify(whole, '--file', file, ...trusted, ...ledger);
  expect(valid).toMatchObject({ code: 0, text: expect.stringContaining('Result: VALID') });
  for (const fact of ['aé.pdf', 'Li Lei', 'Exam papers', '20000 bytes', 'entry ']) expect(valid.text).toContain(fact);
  expect((await verify(whole, '--file', file, ...trusted)).code).toBe(0);
  expect(await verify(whole, '--file', file)).toMatchObject({ code: 3 });
  expect(await verify(whole, ...trusted)).toMatchObject({ code: 3 });

  const parts = JSON.parse(receipt) as { statement: string; senderFields: object; ledgerProof: string };
  const other = turnOneBit(parts);
  const other2 = { ...parts, senderFields: { Name: 'Han Meimei' } };
  const payload = Buffer.from(parts.statement.split('.')[1] ?? '', 'base64url').toString();
  const forged = payload.replace('Exam papers', 'Exam papirs');
  const statement = parts.statement.replace(
    parts.statement.split('.')[1] ?? '',
    Buffer.from(forged).toString('base64url'),
  );
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['another sender', other2, 'FIELDS_MISMATCH'],
    ['a statement nobody signed', { ...parts, statement }, 'SIGNATURE_INVALID'],
    ['a signature of something else', { ...parts, statement: other }, 'SIGNATURE_INVALID'],
    [
      'a proof of the ledger for another receipt',
      { ...parts, ledgerProof: parts.ledgerProof.replace('index ', 'index 1') },
      'LEDGER_PATH_WRONG',
    ],
    ['no receipt at all', { ...parts, schema: 'x' }, 'RECEIPT_MALFORMED'],
  ];
  for (const [name, changed, code] of cases) {
    const path = await keep('changed.json', JSON.stringify(changed));
    const report = await verify(path, '--file', file, ...trusted, ...ledger, '--format', 'json');
    expect(report.code, name).toBe(2);
    expect(report.text, name).toContain(code);
  }
  const changed = await keep('changed.json', JSON.stringify(other2));
  expect((await verify(changed, '--file', file, ...trusted)).text).toContain('do not trust anything that it states');
  const wrong = await keep('wrong', bytes.subarray(1));
  expect(await verify(whole, '--file', wrong, ...trusted)).toMatchObject({
    code: 2,
    text: expect.stringMatching(/the received one was 20000 bytes[\s\S]*it is the receipt of another file/),
  });
  const otherKey = key.replace(/"keyVersion":1/, '"keyVersion":2');
  expect((await verify(whole, '--file', file, '--trusted-key', await keep('other.json', otherKey))).code).toBe(3);
});

/** The same statement with a bit of its signature turned. */
function turnOneBit({ statement }: { readonly statement: string }): string {
  const [head = '', payload = '', signature = ''] = statement.trim().split('.');
  const bytes = Buffer.from(signature, 'base64url');
  bytes[5] = (bytes[5] ?? 0) ^ 1;
  return `${head}.${payload}.${bytes.toString('base64url')}\n`;
}
