// Puts in place what the repository needs before its first command can run. Plain JavaScript without
// dependencies, because it starts on whatever Node the machine has (20 or newer).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { explainNpmFailure } from './npm-failure.mjs';
import { buildPkcs11Addon } from './pkcs11-addon.mjs';
import { isThere, listMissingPackages } from './test-programs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = join(root, 'node_modules', '.recordproof-setup');
const ownNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const say = text => process.stderr.write(`setup: ${text}\n`);
const fail = text => {
  say(text);
  process.exit(1);
};

function installNodePackages() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
  if (existsSync(ownNode) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  say('installing the npm packages this checkout is locked to (about half a minute, once) …');
  const started = Date.now();
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const run = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
  if (run.error?.code === 'ENOENT') fail('there is no npm on this machine; it comes with Node.');
  if (run.status !== 0) {
    const { lines, sentence } = explainNpmFailure(run.stderr ?? '');
    for (const line of lines) say(`npm: ${line}`);
    fail(sentence);
  }
  if (!existsSync(ownNode)) {
    fail('the package "node" did not unpack its program. If npm is set to ignore scripts, run: npm rebuild node');
  }
  writeFileSync(stampFile, stamp);
  say(`npm packages installed in ${Math.round((Date.now() - started) / 1000)} s`);
}

function installTestServices() {
  const missing = listMissingPackages();
  if (missing.length === 0) return;
  const command = `apt-get install --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !isThere('apt-get')) {
    say(`not installed: ${missing.join(', ')}. Tests that need them are left out, and the closing lines say so.`);
    say(`to run them too, as root: ${command}`);
    return;
  }
  say(`installing what the tests start for real: ${missing.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = args =>
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
  const install = packages => apt(['install', '-y', '--no-install-recommends', ...packages]);
  if ((apt(['update']) && install(missing)) || install(missing)) return;
  for (const one of missing) install([one]); // one that this machine's sources do not have keeps none of the others away
  const rest = listMissingPackages();
  if (rest.length > 0)
    say(`apt could not install ${rest.join(', ')}. Tests that need them are left out, and the closing lines say so.`);
}

async function bundle(name) {
  const { bundles, isBundled, makeBundle } = await import('./server-bundle.mjs');
  if (isBundled(bundles[name])) return;
  try {
    await makeBundle(bundles[name]);
  } catch (error) {
    say(`no bundle could be made (${error.message}); the programs run from their sources, a bit slower.`);
  }
}

function buildHardwareAddon() {
  const obstacle = buildPkcs11Addon(root);
  if (obstacle !== undefined) say(`keys in hardware modules (pkcs11) are left out: ${obstacle}.`);
}

installNodePackages();
if (process.argv.includes('--with-server-bundle')) await bundle('programs');
if (process.argv.includes('--with-test-services')) {
  installTestServices();
  await bundle('testChildren');
}
if (['--with-test-services', '--with-hardware-modules'].some(flag => process.argv.includes(flag))) buildHardwareAddon();
