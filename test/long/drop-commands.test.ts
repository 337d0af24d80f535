// Journeys of drop links on the command line: created by an account, used by senders without one, whose receipts are
// checked by the verifier.
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { main } from '@recordproof/verifier/cli.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from '../../cli/src/testing.ts';
import { type Person, startApp, type TestApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { laptop } from '../support/real-proofs.ts';

let app: TestApp;
let alice: Person;
let home: Home;

beforeAll(async () => {
  app = await startApp({ env: laptop, clock: { now: () => Date.now(), advance: () => undefined } });
  alice = await app.person('alice');
  home = await openHome({ url: app.app.url });
});
afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await app?.[Symbol.asyncDispose]();
});

const asAlice = (...args: string[]) => home.run(args, { env: { RECORDPROOF_TOKEN: alice.token ?? '' } });
const signedOut = (...args: string[]) => home.run(args);

test('files and a folder are uploaded through a drop link, and their receipts verify', async () => {
  const made = await asAlice(
    'drop',
    'create',
    'Exam papers',
    '--folder',
    'In',
    '--field',
    'Name',
    '--field',
    'Mail:mail?',
    '--json',
  );
  expect(made).toMatchObject({ code: 0 });
  const { link, id } = JSON.parse(made.stdout) as { link: string; id: string };
  const [files, receipts] = [join(home.path, 'answers'), join(home.path, 'receipts')];
  await mkdir(join(files, 'sub'), { recursive: true });
  await writeFile(join(files, 'a.pdf'), await pattern(3_000_000, 1));
  await writeFile(join(files, 'sub', 'b.txt'), 'hello');
  const send = () => signedOut('drop', 'send', link, files, '--field', 'Name=Li Lei', '--receipts', receipts);
  expect(await signedOut('drop', 'send', link, files)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Name'),
  });
  expect(await send()).toMatchObject({ code: 0, stderr: expect.stringContaining('2 sent') });
  const again = await signedOut('drop', 'send', link, files, '--receipts', receipts);
  expect(again).toMatchObject({ code: 0 });
  expect((await readdir(receipts)).sort()).toEqual(['a.pdf.receipt.json', 'b.txt.receipt.json']);

  const shown = await asAlice('drop', 'show', id);
  for (const fact of ['answers/a.pdf', 'answers/sub/b.txt', 'Li Lei', '2 of 1000'])
    expect(shown.stdout).toContain(fact);
  expect((await asAlice('drop', 'list')).stdout).toContain('Exam papers');
  expect(await asAlice('drop', 'close', id)).toMatchObject({ code: 0, stderr: expect.stringContaining('closed') });
  const rejected = await signedOut('drop', 'send', link, join(files, 'a.pdf'), '--field', 'Name=Li Lei');
  expect(rejected).toMatchObject({ stderr: expect.stringContaining('closed') });
  expect(rejected.code).not.toBe(0);
  expect(await asAlice('drop', 'delete', id, '--yes')).toMatchObject({ code: 0 });

  const receipt = join(receipts, 'a.pdf.receipt.json');
  const { statement } = JSON.parse(await readFile(receipt, 'utf8')) as { statement: string };
  const { kid, keyVersion } = JSON.parse(Buffer.from(statement.split('.')[0] ?? '', 'base64url').toString());
  const key = await app.anonymous.fetch(`/api/v1/public/proof-keys/${kid}/versions/${keyVersion}`);
  await writeFile(join(home.path, 'key.json'), JSON.stringify((await key.json()).data));
  let report = '';
  const write = (text: string) => (report += text);
  const code = await main(
    ['receipt', receipt, '--file', join(files, 'a.pdf'), '--trusted-key', join(home.path, 'key.json')],
    { stdin: (async function* () {})(), stdout: { write }, stderr: { write } },
  );
  expect([code, report]).toEqual([0, expect.stringContaining('Result: VALID')]);
});

test('a file with other content than an earlier run has sent is no success, and gets no receipt', async () => {
  const made = await asAlice('drop', 'create', 'Drafts', '--json');
  const { link } = JSON.parse(made.stdout) as { link: string };
  const [path, receipts] = [join(home.path, 'draft.txt'), join(home.path, 'receipts-of-drafts')];
  const write = async (text: string) => {
    await writeFile(path, text);
    await utimes(path, 1_700_000_000, 1_700_000_000);
  };
  await write('the first draft');
  expect(await signedOut('drop', 'send', link, path, '--receipts', receipts)).toMatchObject({ code: 0 });
  await write('the other draft');
  const other = await signedOut('drop', 'send', link, path, '--receipts', receipts);
  expect(other).toMatchObject({ code: 65, stderr: expect.stringContaining('has recorded other bytes') });
  expect(await readdir(receipts)).toEqual(['draft.txt.receipt.json']);
});

test('a receipt of other bytes than the server states, or a malformed one, is not saved', async () => {
  const made = await asAlice('drop', 'create', 'Swapped', '--json');
  const { code } = JSON.parse(made.stdout) as { code: string };
  const [path, other, receipts] = ['mine.txt', 'other.txt', 'receipts-swapped'].map(name => join(home.path, name));
  await writeFile(path ?? '', 'my bytes');
  await writeFile(other ?? '', 'other bytes');
  const send = (server: string, file = '', folder = '') =>
    signedOut('drop', 'send', `${server}/d/${code}`, file, '--receipts', folder);
  expect(await send(app.app.url, other, home.path)).toMatchObject({ code: 0 });
  let receipt = await readFile(join(home.path, 'other.txt.receipt.json'), 'utf8');
  const front = createServer(async (request, response) => {
    if (request.url?.endsWith('/receipt')) return void response.end(receipt);
    const headers = { ...request.headers, host: new URL(app.app.url).host };
    const onward = ask(app.app.url + request.url, { method: request.method, headers }, answer => {
      answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    request.pipe(onward);
  });
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve));
  const lying = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  try {
    const swapped = await send(lying, path, receipts);
    expect(swapped).toMatchObject({ code: 65, stderr: expect.stringContaining('has recorded other bytes') });
    receipt = '{}';
    const malformed = await send(lying, path, receipts);
    expect(malformed).toMatchObject({ code: 65, stderr: expect.stringContaining('sent a malformed receipt') });
  } finally {
    front.closeAllConnections();
    front.close();
  }
  expect(await readdir(receipts ?? '')).toEqual([]);
});

test('an invalid link and an invalid time are rejected with a message', async () => {
  expect(await signedOut('drop', 'send', 'nonsense', 'x')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('22 letters'),
  });
  expect(await asAlice('drop', 'create', 'A', '--expires', '2y')).toMatchObject({ code: 64 });
  expect(await asAlice('drop', 'show', '999')).toMatchObject({ stderr: expect.stringContaining('no such drop link') });
});
