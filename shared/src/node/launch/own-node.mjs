// The start of a program of this repository on the Node that `npm install` fetched, whatever Node the caller has. Plain
// JavaScript without packages: it also runs before the checkout is set up.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ownNode = fileURLToPath(new URL('../../../../node_modules/node/bin/node', import.meta.url));
const [major] = process.versions.node.split('.').map(Number);

/** Runs `program` with `args`; ends this process the way the program ended. */
export function runOnOwnNode(program, args, nodeFlags = []) {
  if (!existsSync(ownNode) && major < 26) {
    process.stderr.write('This checkout is not set up yet. Run: npm run setup\n');
    process.exit(1);
  }
  const node = existsSync(ownNode) ? ownNode : process.execPath;
  const child = spawn(node, [...nodeFlags, program, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', error => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

/** Imports the program in this process when its Node is new enough, which saves a process. */
export async function startProgram(url) {
  const path = fileURLToPath(url);
  if (major >= 26) {
    process.argv[1] = path;
    await import(url.href);
    // The launcher again, not the program: the compile cache is enabled per process.
  } else runOnOwnNode(process.argv[1], process.argv.slice(2));
}
