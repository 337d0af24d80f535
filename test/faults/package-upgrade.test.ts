// Upgrades of the server's Debian package by dpkg, in a tree of its own and with the server run from its sources: a
// backup comes first, and an installation that cannot be upgraded stays unchanged.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, onTestFinished, vi } from 'vitest';
import { listServiceScripts, makeDebian } from '../../scripts/package/debian.ts';
import { testWith } from '../support/programs.ts';
import { programs } from '../support/server-process.ts';

vi.setConfig({ testTimeout: 600_000 }); // scrypt is slow on a machine with other work

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));

type Tree = {
  readonly data: string;
  readonly backups: string;
  install(version: string): { readonly status: number | null; readonly told: string };
  /** The state and the version that dpkg reports. */
  state(): string;
  setEnvironment(text: string): void;
  run(...args: string[]): { readonly status: number | null; readonly told: string };
};

function newTree(): Tree {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-dpkg-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tree = join(folder, 'tree');
  for (const part of ['var/lib/dpkg/info', 'var/lib/dpkg/updates', 'var/lib/recordproof', 'etc/recordproof'])
    mkdirSync(join(tree, part), { recursive: true });
  chmodSync(join(tree, 'var/lib/recordproof'), 0o700);
  for (const name of ['status', 'available']) writeFileSync(join(tree, 'var/lib/dpkg', name), '');
  const program = `#!/bin/sh\nexec '${process.execPath}' '${programs.sources}' "$@"\n`;
  const files = [
    { path: 'usr/bin/recordproof-server', content: Buffer.from(program), isProgram: true },
    {
      path: 'usr/lib/sysusers.d/recordproof.conf',
      content: readFileSync(join(deploy, 'systemd/recordproof.sysusers')),
    },
    { path: 'etc/recordproof/recordproof.yaml', content: readFileSync(join(deploy, 'systemd/recordproof.yaml')) },
  ];
  const start = (command: string, args: readonly string[], input = '') => {
    const env = { PATH: process.env.PATH, RECORDPROOF_RESERVE_BYTES: '0' };
    const { status, stdout, stderr } = spawnSync(command, args, { env, input, encoding: 'utf8' });
    return { status, told: stdout + stderr };
  };
  const data = join(tree, 'var/lib/recordproof');
  return {
    data,
    backups: join(folder, 'backups'),
    install(version) {
      const path = join(folder, `${version}.deb`);
      const about = { name: 'recordproof-server', version, summary: 'a server', depends: 'libc6' };
      makeDebian({ ...about, files, scripts: listServiceScripts() }, path, 1_700_000_000);
      const where = [`--root=${tree}`, '--force-script-chrootless', '--force-depends', '--force-bad-path'];
      return start('dpkg', [...where, `--log=${join(folder, 'log')}`, '--install', path]);
    },
    state() {
      const { told } = start('dpkg-query', [`--admindir=${join(tree, 'var/lib/dpkg')}`, '-s', 'recordproof-server']);
      const field = (name: string) => new RegExp(`^${name}: (?:.* )?(\\S+)$`, 'm').exec(told)?.[1];
      return `${field('Status')} ${field('Version')}`;
    },
    setEnvironment: text => writeFileSync(join(tree, 'etc/recordproof/environment'), text, { mode: 0o600 }),
    run: (...args) => start(join(tree, 'usr/bin/recordproof-server'), [...args, '--data', data], 'a long password 1'),
  };
}

const listManifests = ({ backups }: Tree): string[] =>
  existsSync(join(backups, 'backups')) ? readdirSync(join(backups, 'backups')) : [];

const makeAdmin = ['admin', 'create', '--username', 'root', '--email', 'root@example.org', '--password-stdin'];

testWith('dpkg', 'dpkg-deb')('an upgrade creates a backup first, and is rejected without it', () => {
  const tree = newTree();
  tree.setEnvironment(`RECORDPROOF_BACKUP_TO=${tree.backups}\nRECORDPROOF_BACKUP_PASSPHRASE="five small grey cats"\n`);
  expect(tree.install('1.0')).toMatchObject({ status: 0 });
  expect(tree.install('1.1'), 'nothing was set up yet').toMatchObject({ status: 0 });
  expect(listManifests(tree)).toEqual([]);

  expect(tree.run(...makeAdmin)).toMatchObject({ status: 0 });
  const upgraded = tree.install('1.2');
  expect(upgraded).toMatchObject({ status: 0, told: expect.stringContaining('is complete') });
  expect(upgraded.told).toContain('can take over');
  expect(listManifests(tree)).toHaveLength(1);
  expect(tree.state()).toBe('installed 1.2');

  tree.setEnvironment('RECORDPROOF_BACKUP_TO=sftp://host/folder\nRECORDPROOF_BACKUP_PASSPHRASE=five small grey cats\n');
  const rejected = tree.install('1.3');
  expect(rejected.status).not.toBe(0);
  expect(rejected.told).toContain('nothing was upgraded');
  expect(tree.state()).toBe('installed 1.2');
});

testWith('dpkg', 'dpkg-deb')('a version that cannot be upgraded to is reported and left half-configured', () => {
  const tree = newTree();
  expect(tree.install('1.0')).toMatchObject({ status: 0 });
  expect(tree.run(...makeAdmin)).toMatchObject({ status: 0 });
  const database = new Database(join(tree.data, 'recordproof.db'));
  database
    .prepare('insert into schema_migration (name, checksum, applied_at) values (?, ?, ?)')
    .run('V99.0.0 of later', 'x', 1);
  database.close();
  const rejected = tree.install('1.1');
  expect(rejected.status).not.toBe(0);
  expect(rejected.told).toContain('no backup is made before the upgrade: RECORDPROOF_BACKUP_TO is not set');
  expect(rejected.told).toContain('the service was not restarted');
  expect(rejected.told).toContain('V99.0.0 of later');
  expect(tree.state()).toBe('half-configured 1.1');
});
