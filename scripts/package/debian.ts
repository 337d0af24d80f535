// Debian packages, built by dpkg-deb from a tree of files.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from './tar.ts';

export const hasDpkg = (): boolean => spawnSync('dpkg-deb', ['--version']).status === 0;

export const debianArchitecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];

export type Debian = {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** Installed paths, without the leading slash. */
  readonly files: readonly Entry[];
  /** postinst and the other maintainer scripts. */
  readonly scripts: readonly Entry[];
  readonly depends: string;
};

const sizeOf = (files: readonly Entry[]): number => files.reduce((sum, { content }) => sum + content.length, 0);

function toControl({ name, version, summary, files, depends }: Debian): string {
  const fields = {
    Package: name,
    Version: version,
    Architecture: debianArchitecture,
    Maintainer: 'RecordProof <recordproof@localhost>',
    'Installed-Size': Math.ceil(sizeOf(files) / 1024),
    Depends: depends,
    Section: 'net',
    Priority: 'optional',
    Description: summary,
  };
  return Object.entries(fields)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join('');
}

function put(folder: string, { path, content, isProgram = false }: Entry): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  chmodSync(target, isProgram ? 0o755 : 0o644);
}

/** conffiles: an upgrade asks before it overwrites them. */
const listSettings = (files: readonly Entry[]): string =>
  files
    .filter(({ path }) => path.startsWith('etc/'))
    .map(({ path }) => `/${path}\n`)
    .join('');

export function makeDebian(debian: Debian, output: string, seconds: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-deb-'));
  const umask = process.umask(0o022);
  try {
    const tree = join(folder, 'tree');
    for (const file of debian.files) put(tree, file);
    for (const script of debian.scripts) put(join(tree, 'DEBIAN'), script);
    put(tree, { path: 'DEBIAN/control', content: Buffer.from(toControl(debian)) });
    const settings = listSettings(debian.files);
    if (settings !== '') put(tree, { path: 'DEBIAN/conffiles', content: Buffer.from(settings) });
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds) };
    const args = ['--root-owner-group', '-Zgzip', '--build', tree, output];
    const { status, stderr } = spawnSync('dpkg-deb', args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`dpkg-deb failed: ${stderr}`);
  } finally {
    process.umask(umask);
    rmSync(folder, { recursive: true });
  }
}

const scriptFolder = fileURLToPath(new URL('../../deploy/debian', import.meta.url));
const scriptNames = ['preinst', 'postinst', 'prerm', 'postrm'];
const include = /^# @include (\S+)$/gm;

const readScript = (name: string): string => readFileSync(join(scriptFolder, name), 'utf8');

/** Maintainer scripts of the server's package. They cannot share a file: when the first one runs, the package is not unpacked yet. */
export const listServiceScripts = (): Entry[] =>
  scriptNames.map(name => ({
    path: name,
    content: Buffer.from(readScript(name).replaceAll(include, (_, file: string) => readScript(file).trimEnd())),
    isProgram: true,
  }));
