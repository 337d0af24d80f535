// Journeys with every rate limit exhausted at first: no command fails for that, the delay is announced, and `--no-wait`
// ends at once.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FullMinutes, openFullMinutes } from '../support/full-minutes.ts';
import { openProveWorld, type ProveWorld } from '../support/prove-world.ts';

let world: ProveWorld;
let http: FullMinutes;

beforeAll(async () => {
  world = await openProveWorld();
  http = await openFullMinutes(world.server, 1);
});
afterAll(async () => {
  await http?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const cli = (...args: string[]) => world.cli(...args, '--server', http.url);
const waited = /^waiting for the rate limit \(20 per minute\), until \d\d:\d\d:\d\d$/m;

test('files are proved, downloaded, shared and fetched from the share while the rate limit is full', async () => {
  await mkdir(join(world.folder, 'all'));
  const bytes = [await world.makeFile('all/a', 3000), await world.makeFile('all/b', 5000)];
  const proved = await cli('prove', 'all', '--json');
  expect(proved.code).toBe(0);
  expect(proved.stderr).toMatch(waited);
  const { files } = JSON.parse(proved.stdout) as { files: { fileHash: string; fileId: string }[] };
  const hashes = files.map(({ fileHash }) => fileHash);

  const proxied = await cli('upload', 'all/a', '--proxied', '--json');
  expect([proxied.code, JSON.parse(proxied.stdout).failed]).toEqual([0, 0]);

  const downloaded = await cli('download', ...hashes, '--output', 'back/');
  expect(downloaded).toMatchObject({ code: 0, stderr: expect.stringMatching(waited) });
  expect(await readFile(join(world.folder, 'back/a'))).toEqual(bytes[0]);

  const shared = await cli('shares', 'create', ...hashes);
  expect(shared.code).toBe(0);
  const got = await cli('shares', 'get', shared.stdout.trim(), '--output', 'shared/');
  expect(got).toMatchObject({ code: 0, stderr: expect.stringMatching(waited) });
  expect(await readFile(join(world.folder, 'shared/b'))).toEqual(bytes[1]);

  const exported = await cli('proofs', 'export', files[0]?.fileId ?? '', '--output', 'exported.zip');
  expect(exported.code).toBe(0);
  const kinds = [
    /^POST .*upload/,
    /^PUT .*part/,
    /^GET .*evidence/,
    /^GET .*download/,
    /^POST .*share/,
    /^GET .*share/,
  ];
  expect(kinds.filter(kind => !http.refused.some(call => kind.test(call)))).toEqual([]);
});

test('Ctrl-C ends a wait immediately and reports that the same command resumes', async () => {
  await using slow = await openFullMinutes(world.server, 500);
  await world.makeFile('patient', 100);
  for (const args of [
    ['upload', 'patient'],
    ['prove', 'patient'],
    ['files', 'list'],
  ]) {
    slow.retryAfterSeconds += 5;
    const ended = await world.interruptedCli(/waiting for/, ...args, '--server', slow.url);
    expect(ended.code).toBe(130);
    expect(ended.stderr).toMatch(/interrupted: .*same command/);
  }
});

test('a wait of more than ten minutes is an error that states the time', async () => {
  await using closed = await openFullMinutes(world.server, 3600);
  const ended = await world.cli('files', 'list', '--server', closed.url);
  expect(ended).toMatchObject({ code: 75, stderr: expect.stringContaining('wait 60 minutes') });
});
