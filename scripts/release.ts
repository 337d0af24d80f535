// `npm run release [-- --out DIR]`: all release files for this kind of machine: each program in an archive and, if
// dpkg-deb is installed, as a Debian package, and the checksums of all. Two runs on one commit give the same bytes.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findCommit, findCommitTime } from './package/build-commit.ts';
import { debianArchitecture, hasDpkg, listServiceScripts, makeDebian } from './package/debian.ts';
import { makeExecutable, suffix } from './package/executable.ts';
import { type Program, programs } from './package/programs.ts';
import { listReleaseFiles, type ReleaseFile, summaryOf } from './package/release-files.ts';
import { toTarGz } from './package/tar.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } });
const { out } = values;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const commit = findCommit();
const seconds = findCommitTime();

/** These return the names of the files that they wrote. */
function writeDebian(program: Program, files: readonly ReleaseFile[]): string {
  const isService = program.word === 'server';
  const debian = {
    name: program.name,
    version,
    summary: summaryOf(program),
    files: files.map(({ installed, ...rest }) => ({ ...rest, path: installed })),
    scripts: isService ? listServiceScripts() : [],
    depends: isService ? 'libc6 (>= 2.28), libstdc++6, libatomic1, systemd' : 'libc6 (>= 2.28), libstdc++6, libatomic1',
  };
  const name = `${program.name}_${version}_${debianArchitecture}.deb`;
  makeDebian(debian, join(out, name), seconds);
  return name;
}

async function release(program: Program): Promise<string[]> {
  const inputs = await makeExecutable(program, out, commit);
  const built = { program: program.name, version, seconds };
  const files = await listReleaseFiles(program, join(out, program.name + suffix), inputs, built);
  const name = `${program.name}-${version}-${process.platform}-${process.arch}`;
  const entries = files.map(({ installed, ...rest }) => ({ ...rest, path: `${name}/${rest.path}` }));
  const written = [program.name + suffix, `${name}.tar.gz`];
  writeFileSync(join(out, `${name}.tar.gz`), toTarGz(entries, seconds));
  if (debianArchitecture !== undefined && hasDpkg()) written.push(writeDebian(program, files));
  else console.log('no Debian package: it needs dpkg-deb');
  return written;
}

rmSync(join(out, 'SHA256SUMS'), { force: true });
mkdirSync(out, { recursive: true });
const written: string[] = [];
for (const program of programs) written.push(...(await release(program)));
const sums = written.toSorted().map(
  name =>
    `${createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex')}  ${name}\n`,
);
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));
