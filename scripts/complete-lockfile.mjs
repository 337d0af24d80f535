// npm leaves an optional package out of the lockfile when the registry it asks does not have it for every platform, and
// then `npm ci` refuses the lockfile. This puts such packages back by name: where they fit, npm fetches them, elsewhere
// it passes them over. Run after every `npm install`; a structure test looks that it was.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

/** `@biomejs/cli-linux-x64-musl` → what npm needs to know to pass it over elsewhere. */
function toPlatform(name) {
  const words = name.split(/[/-]/);
  const os = words.filter(word => systems.includes(word));
  const cpu = words.filter(word => processors.includes(word));
  const libc = words.filter(word => ['musl', 'glibc'].includes(word));
  return { ...(os.length && { os }), ...(cpu.length && { cpu }), ...(libc.length && { libc }) };
}

/** The optional packages that some package names with an exact version and the lockfile does not hold. */
export function listMissing(lock) {
  return Object.values(lock.packages).flatMap(parent =>
    Object.entries(parent.optionalDependencies ?? {})
      .filter(([name, version]) => /^\d/.test(version) && !(`node_modules/${name}` in lock.packages))
      .map(([name, version]) => ({ name, version, dev: parent.dev === true })),
  );
}

function complete(lock) {
  for (const { name, version, dev } of listMissing(lock)) {
    lock.packages[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...toPlatform(name) };
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  return lock;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, `${JSON.stringify(complete(lock), null, 2)}\n`);
}
