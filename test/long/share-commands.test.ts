// Journeys of shares on the command line, against a real server: created by one account, used by others and
// anonymously.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { listShares } from '@recordproof/shared/api/shares.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Home, openHome } from '../../cli/src/testing.ts';
import { type Person, startApp, type TestApp, testPassword } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { checkEverything } from '../support/check-everything.ts';
import { installed } from '../support/installed.ts';
import { testWith } from '../support/programs.ts';
import { storeProxied } from '../support/uploads.ts';

const MiB = 2 ** 20;

let app: TestApp;
let alice: Person;
let bob: Person;
let report: { fileHash: string };
let notes: { fileHash: string };
let bytes: Uint8Array;
let home: Home;

beforeAll(async () => {
  app = await startApp({ clock: { now: () => Date.now(), advance: () => undefined } });
  [alice, bob] = [await app.person('alice'), await app.person('bob')];
  bytes = await pattern(5 * MiB);
  report = await storeProxied(alice, bytes, { name: 'report.pdf', chunkSize: MiB });
  notes = await storeProxied(alice, await pattern(1000, 2), { name: 'notes.txt' });
});
afterAll(async () => {
  await app.drain();
  await checkEverything(app);
  await app[Symbol.asyncDispose]();
});
beforeEach(async () => {
  home = await openHome({ url: app.app.url });
});
afterEach(() => home[Symbol.asyncDispose]());

const asAlice = (args: readonly string[], input?: string) => runAs(alice, args, input);
const runAs = (person: Person | undefined, args: readonly string[], input = '') =>
  home.run(args, { env: person?.token ? { RECORDPROOF_TOKEN: person.token } : {}, input });

async function create(...flags: string[]): Promise<{ link: string; shareCode: string }> {
  const { stdout, stderr } = await asAlice(['share', 'create', report.fileHash, notes.fileHash, '--json', ...flags]);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const sha = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const read = (name: string) => readFile(join(home.path, name));

test('a link is created, and everyone with it downloads the files, verified, without an account', async () => {
  const made = await asAlice([
    'share',
    'create',
    report.fileHash,
    notes.fileHash,
    '--expires',
    '2h',
    '--max-accesses',
    '4',
  ]);
  expect(made.code).toBe(0);
  const link = made.stdout.trim();
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/s\/[0-9A-Za-z]{12}$/);
  expect(made.stderr).toMatch(/^2 files, public, active until .* UTC, opened 0 of 4\n$/);

  const info = await runAs(undefined, ['share', 'info', link]);
  expect(info.stdout).toContain('report.pdf (5.0 MiB)');

  const got = await runAs(undefined, ['share', 'get', link, '--output', 'in/']);
  expect(got).toMatchObject({ code: 0, stderr: '2 downloaded and proven (5.0 MiB)\n' });
  expect(sha(await read('in/report.pdf'))).toBe(sha(bytes));
  expect((await readdir(join(home.path, 'in'))).sort()).toEqual(['notes.txt', 'report.pdf']);

  const code = link.slice(-12);
  const one = await runAs(undefined, ['share', 'get', code, '--file', 'notes.txt', '--output', '-']);
  expect(one.stdout.length).toBeGreaterThan(0);
  const logs = await asAlice(['share', 'logs', code]);
  expect(logs.stdout).toMatch(/download +- +127\.0\.0\.1 +notes\.txt/);
  expect(logs.stderr).toBe('2 views, 3 downloads, 0 saves, by 1 in all\n');
  const list = await asAlice(['share', 'list']);
  expect(list.stdout).toMatch(new RegExp(`${code} +active +public +2 of 4 `));
});

test('the owner changes note, files and recipients of a share, and its page shows them as text', async () => {
  const { shareCode: code, link } = await create('--title', 'Reports', '--message', '<b>bold</b>', '--mail-to', 'bob');
  const update = async (...flags: string[]) => {
    const { code: exit, stdout, stderr } = await asAlice(['shares', 'update', code, '--json', ...flags]);
    return exit === 0 ? JSON.parse(stdout) : stdout + stderr;
  };
  const page = await (await fetch(link)).text();
  expect(page).toContain('Reports</span></h1>');
  expect(page).toContain('&lt;b&gt;bold&lt;/b&gt;');
  const changed = await update(
    '--remove-file',
    'notes.txt',
    '--title',
    'One report',
    '--no-message',
    '--mail-to',
    'eve@example.org',
  );
  expect(changed).toMatchObject({ title: 'One report', message: null, files: [{ fileName: 'report.pdf' }] });
  expect(changed.recipients).toMatchObject([{ recipient: 'bob' }, { recipient: 'eve@example.org' }]);
  await app.drain();
  expect(await app.mailsTo('eve@example.org')).toMatchObject([{ subject: 'alice shares: One report' }]);
  const back = await update('--add-file', 'notes.txt', '--remove-recipient', 'eve@example.org');
  expect([back.files.length, back.recipients]).toMatchObject([2, [{ recipient: 'bob', mailedAt: expect.any(String) }]]);
  expect((await runAs(undefined, ['shares', 'info', code])).stdout).toContain('One report');
  expect(await update('--mail-to', 'not an address')).toContain('Recipient');
  expect(await update('--mail-to', 'nobody')).toContain('there is no account nobody');
});

test('a folder is shared fixed or with later files, and the command requires the choice', async () => {
  const store = async (name: string) =>
    storeProxied(alice, await pattern(100, name.length), { name, path: 'plans/2026' });
  await store('a.txt');
  const shareFolder = (...flags: string[]) => asAlice(['shares', 'create', '--folder', './plans/2026/', ...flags]);
  const unsaid = await shareFolder();
  expect([unsaid.code, unsaid.stderr]).toEqual([64, expect.stringContaining('say --fixed or --later')]);
  const fixed = await shareFolder('--fixed');
  expect(fixed.stderr).toMatch(/^folder plans\/2026: 1 file, public, active until/);
  const later = await shareFolder('--later');
  expect(later.stderr).toMatch(/^folder plans\/2026 with what comes later: 1 file, public/);
  await store('b2.txt');
  for (const [made, names] of [
    [fixed, ['a.txt']],
    [later, ['a.txt', 'b2.txt']],
  ] as const) {
    const folder = `in-${names.length}`;
    await runAs(undefined, ['shares', 'get', made.stdout.trim(), '--output', `${folder}/`]);
    expect(
      (await readdir(join(home.path, folder), { recursive: true }))
        .filter(name => name.endsWith('.txt'))
        .map(name => basename(name))
        .sort(),
    ).toEqual(names);
  }
  for (const flags of [['report.pdf', '--folder', 'plans', '--later'], ['report.pdf', '--later'], []])
    expect((await asAlice(['shares', 'create', ...flags])).code, flags.join(' ')).toBe(64);
});

test('a share is not opened for a download that would fail locally', async () => {
  const { link, shareCode } = await create('--max-accesses', '1');
  await writeFile(join(home.path, 'report.pdf'), 'mine');
  const taken = await runAs(undefined, ['share', 'get', link, '--file', 'report.pdf', '--output', `${home.path}/`]);
  expect([taken.code, taken.stderr]).toEqual([64, expect.stringContaining('exists already')]);
  const missing = await runAs(undefined, ['share', 'get', link, '--file', 'nothing.pdf']);
  expect(missing.stderr).toContain('there is no file "nothing.pdf"');
  const { records } = await alice.call(listShares);
  expect(records.find(share => share.shareCode === shareCode)?.accessCount).toBe(0);
  const got = await runAs(undefined, ['share', 'get', link, '--output', `${home.path}/`]);
  expect(got.stdout).toContain('notes.txt');
  expect(await read('report.pdf')).toEqual(Buffer.from('mine'));
});

test('a name that is not valid locally is saved under another name, which is reported', async () => {
  const long = `${'字'.repeat(200)}.txt`;
  const hidden = await storeProxied(alice, await pattern(100, 3), { name: '.profile' });
  const lengthy = await storeProxied(alice, await pattern(100, 4), { name: long });
  const turned = await storeProxied(alice, await pattern(100, 5), { name: '-photo\u202egpj.exe' });
  const hashes = [hidden, notes, lengthy, turned].map(({ fileHash }) => fileHash);
  const { link } = JSON.parse((await asAlice(['shares', 'create', ...hashes, '--json'])).stdout);
  const got = await runAs(undefined, ['shares', 'get', link, '--output', 'odd/']);
  expect(got).toMatchObject({ code: 0, stderr: expect.stringContaining('4 downloaded and proven') });
  expect(got.stderr).toContain('saved as: odd/_.profile (the name is that of a hidden file: .profile)');
  expect(got.stderr).toMatch(/saved as: odd\/字+\.txt \(the name is too long: 字+\)/);
  expect(got.stderr).not.toContain('ENAMETOOLONG');
  const names = await readdir(join(home.path, 'odd'));
  expect(names.toSorted()).toEqual(['_.profile', '_photo_gpj.exe', 'notes.txt', expect.stringMatching(/^字+\.txt$/)]);
  const again = await runAs(undefined, ['shares', 'get', link, '--output', 'odd/']);
  expect([again.code, again.stderr]).toEqual([64, expect.stringContaining('exists already')]);
  const named = await asAlice(['download', hidden.fileHash, '--output', `odd/${'x'.repeat(300)}`]);
  expect([named.code, named.stderr]).toEqual([1, expect.stringContaining('the name is too long for this disk')]);
});

testWith('script')('a password is prompted or piped, and a wrong one is reported', async () => {
  const { link } = JSON.parse(
    (await asAlice(['share', 'create', notes.fileHash, '--password-stdin', '--json'], 'open sesame\n')).stdout,
  );
  expect((await runAs(undefined, ['share', 'info', link])).stderr).toContain('to those who may open it');
  const asked = await runAs(undefined, ['share', 'get', link]);
  expect(asked).toMatchObject({ code: 64, stderr: expect.stringContaining('--password-stdin') });
  const wrong = await runAs(undefined, ['share', 'get', link, '--password-stdin'], 'open barley');
  expect(wrong).toMatchObject({ code: 77, stderr: expect.stringContaining('the password is wrong') });
  const right = await runAs(undefined, ['share', 'get', link, '--password-stdin'], 'open sesame');
  expect(right.code).toBe(0);
  const typed = await home.type(['share', 'get', link, '--force'], [['Password', 'open sesame\n']]);
  expect(typed.code).toBe(0);
  expect(typed.stdout).not.toContain('sesame');
  expect((await asAlice(['share', 'create', notes.fileHash, '--password', 'secret'])).code).toBe(64);
});

test('a private share requires a login, and can be saved without downloading it', async () => {
  const { link, shareCode } = await create('--private');
  expect(await runAs(undefined, ['share', 'get', link])).toMatchObject({
    code: 77,
    stderr: expect.stringContaining('you are not signed in'),
  });
  const saved = await runAs(bob, ['share', 'save', shareCode, '--file', 'report.pdf', '--wide']);
  expect(saved).toMatchObject({ code: 0, stderr: '1 file of yours now\n' });
  const [hash = ''] = /[0-9a-f]{64}/.exec(saved.stdout) ?? [];
  const response = await bob.client.open(downloadFile, { params: { hash } });
  expect(sha(new Uint8Array(await response.arrayBuffer()))).toBe(sha(bytes));
  expect((await runAs(bob, ['files', 'info', hash])).stdout).toMatch(/shared by +alice/);
  expect((await runAs(undefined, ['share', 'save', shareCode])).code).toBe(77);
});

test('a share is changed and cancelled', async () => {
  const { shareCode } = await create();
  expect((await asAlice(['share', 'update', shareCode])).code).toBe(64);
  const changed = await asAlice(['share', 'update', shareCode, '--private', '--max-accesses', '2', '--expires', '30d']);
  expect(changed.stderr).toMatch(/^2 files, private, active until .*, opened 0 of 2\n$/);
  expect((await asAlice(['share', 'update', shareCode, '--public', '--max-accesses', 'none'])).stderr).not.toContain(
    'opened',
  );
  expect(await asAlice(['share', 'revoke', shareCode])).toMatchObject({ code: 0, stderr: '1 cancelled\n' });
  expect(await runAs(undefined, ['share', 'get', shareCode])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('this share was cancelled'),
  });
  for (const bad of [
    ['--expires', '31d'],
    ['--expires', 'soon'],
    ['--max-accesses', '0'],
  ])
    expect((await asAlice(['share', 'create', notes.fileHash, ...bad])).code).toBe(64);
  expect((await asAlice(['share', 'info', 'nonsense'])).code).toBe(64);
});

test('files with one name are saved separately', async () => {
  const twin = await storeProxied(alice, await pattern(1000, 3), { name: 'notes.txt' });
  const { stdout } = await asAlice(['share', 'create', notes.fileHash, twin.fileHash]);
  expect((await runAs(undefined, ['share', 'get', stdout.trim(), '-o', 'twins/'])).code).toBe(0);
  expect((await readdir(join(home.path, 'twins'))).sort()).toEqual(['notes (2).txt', 'notes.txt']);
});

test('a killed download resumes where it was', async () => {
  const big = await pattern(40 * MiB, 4);
  const { fileHash } = await storeProxied(alice, big, { name: 'big.bin', chunkSize: 2 * MiB });
  const { link } = JSON.parse((await asAlice(['share', 'create', fileHash, '--json'])).stdout);
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, RECORDPROOF_SERVER: app.app.url };
  const child = spawn(installed.cli.file, [...installed.cli.args, 'share', 'get', link, '--limit-rate', '8M'], {
    env,
    cwd: home.path,
    stdio: 'ignore',
  });
  const size = async () => {
    const draft = (await readdir(home.path)).find(name => name.endsWith('.part'));
    return draft === undefined ? 0 : (await read(draft)).length;
  };
  await expect.poll(size, { timeout: 120_000 }).toBeGreaterThan(8 * MiB);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { code, stdout } = await runAs(undefined, ['share', 'get', link, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).files[0].resumedBytes).toBeGreaterThanOrEqual(4 * MiB);
  expect(sha(await read('big.bin'))).toBe(sha(big));
});

test('no token is sent to the server of a received link', async () => {
  const seen: (string | undefined)[] = [];
  const trap = createServer((request, response) => {
    seen.push(request.headers.authorization);
    const data = {
      shareCode: 'AAAAAAAAAAAA',
      shareType: 1,
      expireTime: new Date(Date.now() + 1000).toISOString(),
      hasPassword: false,
      files: [],
    };
    response.end(JSON.stringify({ code: 200, message: 'success', data }));
  });
  await new Promise<void>(resolve => trap.listen(0, '127.0.0.1', resolve));
  const link = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/s/AAAAAAAAAAAA`;
  await home.run(['login', '--username', 'alice', '--password-stdin'], { input: testPassword });
  for (const person of [alice, undefined]) {
    const ended = await runAs(person, ['share', 'get', link]);
    expect(ended).toMatchObject({ code: 77, stderr: expect.stringContaining('you are not signed in to') });
  }
  trap.close();
  expect(seen).toEqual([undefined, undefined]);
});

test('a share cannot create a hidden file, unless the name is given on the command line', async () => {
  const odd = await storeProxied(alice, await pattern(100, 5), { name: '.bashrc' });
  const { stdout } = await asAlice(['share', 'create', odd.fileHash]);
  expect((await runAs(undefined, ['share', 'get', stdout.trim()])).code).toBe(0);
  expect((await readdir(home.path)).filter(name => name.includes('bashrc'))).toEqual(['_.bashrc']);
  expect((await runAs(undefined, ['share', 'get', stdout.trim(), '-o', '.bashrc'])).code).toBe(0);
});
