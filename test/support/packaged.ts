// Packages a program for a test, and runs it in isolation: an empty folder, no environment.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../scripts/package.ts', import.meta.url));

export type Packaged = Disposable & {
  /** Runs it to its end. */
  run(args: readonly string[], env?: Record<string, string>): { code: number | null; stdout: string; stderr: string };
  start(args: readonly string[], env?: Record<string, string>): ChildProcess;
  /** The files in the folder in which it ran. */
  leftBehind(): string[];
};

export function packageProgram(name: 'verify' | 'server'): Packaged {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-packaged-'));
  const made = spawnSync(process.execPath, [script, name, '--out', folder], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`packaging failed: ${made.stderr}`);
  const program = join(folder, `recordproof-${name}`);
  const cwd = join(folder, 'empty');
  mkdirSync(cwd);
  return {
    run(args, env = {}) {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
      return { code: status, stdout, stderr };
    },
    start: (args, env = {}) => spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    leftBehind: () => readdirSync(cwd),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Resolves with the first address that the program prints. */
export async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => (said += part));
  for (;;) {
    const url = /http:\/\/[0-9.:]+/.exec(said)?.[0];
    if (url !== undefined) return url;
    const ended = once(child, 'exit').then(() => true);
    if (await Promise.race([ended, once(child.stdout ?? child, 'data').then(() => false)]))
      throw new Error(`it ended at once: ${said}`);
  }
}
