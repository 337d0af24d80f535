// `npm run package:desktop [-- --linux | --mac | --win]`: installers of the desktop app for this kind of machine:
// AppImage and deb, dmg, or a Windows installer. Needs Electron's binary, and fetches electron-builder, which is not a
// dependency (decision 0165).
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findElectron, noElectron } from './package/electron-binary.ts';

const builder = 'electron-builder@26.17.0';
const desktop = fileURLToPath(new URL('../desktop/', import.meta.url));

function run(command: string, words: readonly string[]): void {
  const { status, error } = spawnSync(command, words, {
    cwd: desktop,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

const electron = findElectron();
if (!electron) {
  console.error(`The desktop app cannot be packaged here: ${noElectron}. Then run this again.`);
  process.exit(1);
}
const { devDependencies } = JSON.parse(readFileSync(join(desktop, 'package.json'), 'utf8'));
run('npm', ['run', 'build']);
run('npm', [
  ...['exec', '--yes', `--package=${builder}`, '--', 'electron-builder', '--config', 'electron-builder.json'],
  ...[`-c.electronDist=${electron.folder}`, `-c.electronVersion=${devDependencies.electron}`, '--publish=never'],
  ...process.argv.slice(2),
]);
