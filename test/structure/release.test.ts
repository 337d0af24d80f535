// Release files besides the programs: archives, bills of materials, the systemd unit, the compose files.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readReference } from '../../scripts/command-reference.ts';
import { listComponents, toLicenses, toSbom } from '../../scripts/package/components.ts';
import { makeDebian } from '../../scripts/package/debian.ts';
import { toCommandLineManual } from '../../scripts/package/manual.ts';
import { listStaticFiles } from '../../scripts/package/release-files.ts';
import { toTarGz } from '../../scripts/package/tar.ts';
import { commandNames } from '../../server/src/commands/run.ts';
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

test('an archive does not depend on the order of its files, and tar can read it', () => {
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

test('a path of more than 100 bytes keeps its name in an archive', () => {
  const path = `recordproof-verify-0.1.0-linux-x64/docs/decisions/${'long-'.repeat(12)}name.md`;
  const archive = toTarGz([{ path, content: Buffer.from('text') }], seconds);
  const listed = spawnSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' });
  expect(listed).toMatchObject({ stderr: '', stdout: `${path}\n` });
});

testWith('dpkg-deb')('a Debian package is reproducible, and marks its settings as conffiles', () => {
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

test('the bill of materials and the licences list the contents of a bundle, and Node', () => {
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

testWith('man')('the man page of the command line has no warnings', async () => {
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

testWith('systemd-analyze')('systemd accepts the units', () => {
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

/** `${NAME:?}` must be set in .env, `${NAME:-this}` has a default. */
const filled = (value: string): string =>
  value
    .replaceAll(/\$\{S3_ENDPOINT:\?\}/g, 'https://s3.example.org')
    .replaceAll(/\$\{\w+:\?\}/g, 'secret')
    .replaceAll(/\$\{\w+:-([^}]+)\}/g, '$1');

test.each(['compose.yaml', 'compose.services.yaml'])('the server accepts the settings of %s', async name => {
  const { services } = parse(read(`deploy/docker/${name}`));
  expect(services.server.build.dockerfile).toBe('deploy/docker/Dockerfile');
  const given = Object.entries<string>(services.server.environment).map(([key, value]) => [key, filled(value)]);
  const config = await readConfig([], { ...Object.fromEntries(given), RECORDPROOF_DATA: newFolder() });
  expect(config.db.kind).toBe(name === 'compose.yaml' ? 'sqlite' : 'postgres');
  expect(config.attestation.enabled).toBe(true);
});

test('the server accepts the settings of a package', async () => {
  const path = join(root, 'deploy/systemd/recordproof.yaml');
  const config = await readConfig(['--config', path, '--data', newFolder()], {});
  expect(config).toMatchObject({ db: { kind: 'sqlite' }, profile: 'server', attestation: { enabled: true } });
});

const server = { name: 'recordproof-server', word: 'server' } as const;
const packaged = [
  server,
  { name: 'recordproof', word: 'cli' },
  { name: 'recordproof-verify', word: 'verify' },
] as const;

/** The files of the archive, and those of the Debian package where it can be built, after unpacking. */
function unpack(program: (typeof packaged)[number]): { readonly archive: string; readonly debian: string } {
  const folder = newFolder();
  const [archive, debian] = [join(folder, 'archive'), join(folder, 'debian')];
  const files = listStaticFiles(program);
  mkdirSync(archive);
  const unpacked = spawnSync('tar', ['-xzf', '-', '-C', archive], { input: toTarGz(files, seconds) });
  expect(unpacked.status).toBe(0);
  const installed = files.map(({ installed: path, ...rest }) => ({ ...rest, path }));
  const about = { name: program.name, version: '1.0', summary: 'a program', scripts: [], depends: 'libc6' };
  makeDebian({ ...about, files: installed }, join(folder, 'package.deb'), seconds);
  expect(spawnSync('dpkg-deb', ['-x', join(folder, 'package.deb'), debian]).status).toBe(0);
  return { archive, debian };
}

function listDeadLinks(folder: string): string[] {
  const documents = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.md'));
  expect(documents.length).toBeGreaterThan(50);
  return documents.flatMap(path =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .filter(([, target = '']) => !existsSync(join(folder, dirname(path), target)))
      .map(([, target]) => `${path}: ${target}`),
  );
}

testWith('dpkg-deb').for(packaged)('no link in the documents of archive and package of $name is broken', program => {
  const { archive, debian } = unpack(program);
  expect(listDeadLinks(archive)).toEqual([]);
  expect(listDeadLinks(debian)).toEqual([]);
});

testWith('dpkg-deb')('archive and package of the server contain the tested rules and dashboard', () => {
  const { archive, debian } = unpack(server);
  for (const part of ['prometheus', 'grafana'])
    for (const name of readdirSync(join(root, 'deploy', part))) {
      const path = `deploy/${part}/${name}`;
      expect(readFileSync(join(archive, path), 'utf8')).toBe(read(path));
      expect(readFileSync(join(debian, 'usr/share/recordproof-server', path), 'utf8')).toBe(read(path));
    }
});

test('no guide overwrites the configuration of another program', () => {
  const guides = readdirSync(join(root, 'docs/guide')).map(name => `docs/guide/${name}`);
  const lines = guides.flatMap(path => read(path).split('\n'));
  const copies = lines.filter(line => /\b(?:cp|install|mv|tee)\b.* \/etc\/|> *\/etc\//.test(line));
  expect(copies.filter(line => !/\/recordproof[\w.-]*(?:$| )/.test(line))).toEqual([]);
});

test('the image has a health check, by a command of the server', () => {
  const [, check = '[]'] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read('deploy/docker/Dockerfile')) ?? [];
  const [program, command] = JSON.parse(check);
  expect(program).toBe('/usr/bin/recordproof-server');
  expect(commandNames).toContain(command);
});
