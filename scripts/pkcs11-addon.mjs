// Builds the package that loads hardware modules, against the headers that the repository's own Node brings: npm would look
// for those of the machine's Node on the network, and take the optional package away where it does not find them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isThere } from './test-programs.mjs';

const compilers = ['g++', 'make', 'python3'];

/** A sentence on what stands in the way, or nothing where it is built. */
export function buildPkcs11Addon(root) {
  const folder = join(root, 'node_modules', 'pkcs11js');
  if (existsSync(join(folder, 'build', 'Release', 'pkcs11.node'))) return undefined;
  if (!existsSync(folder)) return 'npm took the optional package away';
  const headers = findHeaders(join(root, 'node_modules', 'node', 'node_modules'));
  if (headers === undefined) return 'the package "node" has no headers for this platform';
  const tool = findNodeGyp();
  if (tool === undefined) return 'this npm brings no node-gyp';
  const missing = compilers.filter(program => !isThere(program));
  if (missing.length > 0) return `${missing.join(', ')} not installed`;
  const args = [tool, 'rebuild', `--nodedir=${headers}`, '--loglevel=error'];
  const run = spawnSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  return run.status === 0 ? undefined : (run.stderr ?? '').trim().split('\n').at(-1) || 'the compiler failed';
}

function findHeaders(packages) {
  if (!existsSync(packages)) return undefined;
  const built = readdirSync(packages).find(name => existsSync(join(packages, name, 'include', 'node', 'node_api.h')));
  return built === undefined ? undefined : join(packages, built);
}

function findNodeGyp() {
  const npms = [
    ...(process.env.npm_execpath?.endsWith('.js') ? [join(dirname(process.env.npm_execpath), '..')] : []),
    join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm'),
  ];
  return npms.map(npm => join(npm, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js')).find(existsSync);
}
