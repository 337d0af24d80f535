// Repeated kills of the command line at random times, until its work is done.
import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { installed } from '../support/installed.ts';
import { openTransferServer } from '../support/transfer-server.ts';

const MiB = 1024 * 1024;
const kills = 25;

test('an upload and a download killed at any time complete once, and leave nothing behind', async () => {
  await using server = await openTransferServer();
  const home = await mkdtemp(join(tmpdir(), 'recordproof-kills-'));
  const env = { ...process.env, HOME: home, RECORDPROOF_SERVER: server.url, RECORDPROOF_TOKEN: server.token };

  async function run(args: readonly string[], killAfterMs?: number): Promise<number | null> {
    const child = spawn(installed.cli.file, [...installed.cli.args, ...args], { env, cwd: home, stdio: 'ignore' });
    const ended = once(child, 'exit') as Promise<[number | null]>;
    if (killAfterMs !== undefined) {
      await Promise.race([pass(killAfterMs), ended]);
      child.kill('SIGKILL');
    }
    return (await ended)[0];
  }

  const notes = (kind: string) => readdir(join(home, '.local/state/recordproof', kind));

  /** A kill may also come between the last step and the exit: then the work is done already. */
  async function killUntilDone(args: readonly string[], isDone = async () => false): Promise<void> {
    for (let round = 0; round < kills; round++) {
      if ((await run(args, randomInt(200, 1200))) === 0 || (await isDone())) return;
    }
    expect(await run(args)).toBe(0);
  }

  try {
    const bytes = randomBytes(32 * MiB + 5);
    await writeFile(join(home, 'big'), bytes);
    for (const mode of ['--direct', '--proxied']) {
      const before = server.files.size;
      const isUploaded = async () => server.files.size > before && (await notes('uploads')).length === 0;
      await killUntilDone(['upload', 'big', mode, '--limit-rate', '12M'], isUploaded);
      expect(server.files.size).toBe(before + 1);
      const fileHash = [...server.files.keys()].at(-1) ?? '';
      const isDownloaded = async () => (await readdir(home)).includes(`back${mode}`);
      await killUntilDone(['download', fileHash, '-o', `back${mode}`, '--limit-rate', '16M'], isDownloaded);
      expect((await readFile(join(home, `back${mode}`))).equals(bytes)).toBe(true);
    }
    expect((await readdir(home)).filter(name => name.endsWith('.part'))).toEqual([]);
    expect(await notes('uploads')).toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
