// What is given out besides the programs: archives, bills of materials, the unit, the compose files.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readReference } from '../../scripts/command-reference.ts';
import { listComponents, toLicenses, toSbom } from '../../scripts/package/components.ts';
import { makeDebian } from '../../scripts/package/debian.ts';
import { toCommandLineManual } from '../../scripts/package/manual.ts';
import { toTarGz } from '../../scripts/package/tar.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { testWith } from '../support/programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const seconds = 1_700_000_000;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const entries = [
  { path: 'a/program', content: Buffer.from('#!/bin/sh\n'), isProgram: true },
  { path: 'a/LICENSE', content: Buffer.alloc(1024, 'x') },
];

test('an archive is the same whatever the order, and tar reads it', () => {
  const archive = toTarGz(entries, seconds);
  expect(toTarGz(entries.toReversed(), seconds).equals(archive)).toBe(true);
  const listed = spawnSync('tar', ['-tvzf', '-'], {
    input: archive,
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC' },
  });
  expect(listed.stderr).toBe('');
  const lines = listed.stdout.trim().split('\n');
  expect(lines[0]).toMatch(/^-rw-r--r-- root\/root +1024 2023-11-14 22:13 a\/LICENSE$/);
  expect(lines[1]).toMatch(/^-rwxr-xr-x root\/root +10 2023-11-14 22:13 a\/program$/);
});

testWith('dpkg-deb')('a Debian package is the same twice, and keeps settings as settings', () => {
  const folder = newFolder();
  const files = [
    { path: 'usr/bin/program', content: Buffer.from('#!/bin/sh\n'), isProgram: true },
    { path: 'etc/program/settings.yaml', content: Buffer.from('port: 1\n') },
  ];
  const debian = { name: 'program', version: '1.0', summary: 'a program', files, scripts: [], depends: 'libc6' };
  for (const name of ['one.deb', 'two.deb']) makeDebian(debian, join(folder, name), seconds);
  expect(readFileSync(join(folder, 'one.deb')).equals(readFileSync(join(folder, 'two.deb')))).toBe(true);
  const ask = (...args: string[]) => spawnSync('dpkg-deb', args, { cwd: folder, encoding: 'utf8' }).stdout;
  expect(ask('--info', 'one.deb', 'conffiles')).toBe('/etc/program/settings.yaml\n');
  expect(ask('--contents', 'one.deb')).toMatch(/-rwxr-xr-x root\/root +10 .* \.\/usr\/bin\/program/);
});

test('the bill of materials and the licences name what is in a bundle, and Node', () => {
  const components = listComponents([
    'server/src/main.ts',
    'node_modules/zod/index.js',
    'node_modules/@noble/hashes/x.js',
  ]);
  expect(components.map(({ name }) => name)).toEqual(['@noble/hashes', 'zod']);
  const sbom = JSON.parse(toSbom({ program: 'p', version: '1', seconds }, components));
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  expect(sbom.components[0]).toMatchObject({ name: 'node', version: process.versions.node });
  expect(sbom.components[0].components).not.toContainEqual(expect.objectContaining({ version: '' }));
  expect(sbom.components[1].purl).toMatch(/^pkg:npm\/%40noble\/hashes@\d/);
  expect(sbom.components[1].hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
  expect(toLicenses(components)).toMatch(/Permission is hereby granted/i);
});

testWith('man')('the man page of the command line is read without a complaint', async () => {
  const folder = newFolder();
  const page = join(folder, 'recordproof.1');
  const text = toCommandLineManual(await readReference(), { version: '1.0', seconds });
  expect(text).not.toMatch(/^\.S[HS] .*\n\.P$/m); // which does nothing, and says so elsewhere
  writeFileSync(page, text);
  const env = { ...process.env, MANWIDTH: '80' };
  const shown = spawnSync('man', ['--warnings', '-l', page], { encoding: 'utf8', env });
  expect(shown).toMatchObject({ status: 0, stderr: '' });
  expect(shown.stdout).toContain('recordproof upload');
});

testWith('systemd-analyze')('the units are such that systemd takes', () => {
  const folder = newFolder();
  const units = ['recordproof-server.service', 'recordproof-backup.service', 'recordproof-backup.timer'];
  for (const name of units) {
    // The program and its man page are not installed here.
    const text = read(`deploy/systemd/${name}`);
    const here = text.replace('/usr/bin/recordproof-server', process.execPath).replace(/^Documentation=.*\n/m, '');
    writeFileSync(join(folder, name), here);
  }
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map(unit => join(folder, unit))], {
    encoding: 'utf8',
  });
  expect(stderr).not.toContain('recordproof-');
  expect(status).toBe(0);
});

/** `${NAME:?}` is what somebody writes into .env, `${NAME:-this}` has a value already. */
const filled = (value: string): string =>
  value
    .replaceAll(/\$\{S3_ENDPOINT:\?\}/g, 'https://s3.example.org')
    .replaceAll(/\$\{\w+:\?\}/g, 'secret')
    .replaceAll(/\$\{\w+:-([^}]+)\}/g, '$1');

test.each(['compose.yaml', 'compose.services.yaml'])('the server takes the settings of %s', async name => {
  const { services } = parse(read(`deploy/docker/${name}`));
  expect(services.server.build.dockerfile).toBe('deploy/docker/Dockerfile');
  const given = Object.entries<string>(services.server.environment).map(([key, value]) => [key, filled(value)]);
  const config = await readConfig([], { ...Object.fromEntries(given), RECORDPROOF_DATA: newFolder() });
  expect(config.db.kind).toBe(name === 'compose.yaml' ? 'sqlite' : 'postgres');
});

test('the server takes the settings that a package brings', async () => {
  const path = join(root, 'deploy/systemd/recordproof.yaml');
  expect((await readConfig(['--config', path, '--data', newFolder()], {})).db.kind).toBe('sqlite');
});
