// The verifier as people start it: the program in a process of its own, with its duration and its peak memory.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { installed } from './installed.ts';
import { residentOf } from './large-proof.ts';
import { addressOf } from './packaged.ts';
import { RawUpload, rawBoundary, rawFilePart } from './verifier-service.ts';

const { verifier } = installed;

export type Run = { code: number | null; millis: number; peakMebibytes: number };

/** Standard output is discarded. */
export async function runVerifier(args: readonly string[]): Promise<Run> {
  const started = performance.now();
  const child = spawn(verifier.file, [...verifier.args, ...args], { stdio: 'ignore' });
  let peakMebibytes = 0;
  const watch = setInterval(() => {
    peakMebibytes = Math.max(peakMebibytes, residentOf(child.pid ?? 0, 'VmHWM'));
  }, 10);
  const [code] = await once(child, 'exit');
  clearInterval(watch);
  return { code, millis: performance.now() - started, peakMebibytes };
}

export type RunningService = AsyncDisposable & { readonly url: string; peakMebibytes(): number };

export async function startVerifierService(): Promise<RunningService> {
  const env = { ...process.env, VERIFIER_PORT: '0' };
  const child: ChildProcess = spawn(verifier.file, [...verifier.args, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await addressOf(child);
  return {
    url,
    peakMebibytes: () => residentOf(child.pid ?? 0, 'VmHWM'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Sends the files as a browser would, without ever holding a whole one. Resolves with the answer as text. */
export async function uploadFiles(url: string, files: Readonly<Record<string, string>>): Promise<string> {
  const end = `--${rawBoundary}--\r\n`;
  const parts = Object.entries(files).map(([name, path]) => ({ path, head: rawFilePart(name) }));
  const length = parts.reduce((sum, { path, head }) => sum + head.length + statSync(path).size + 2, end.length);
  const upload = await RawUpload.open(url, [`content-length: ${length}`, 'connection: close']);
  const write = async (bytes: Buffer | string) => {
    if (!upload.socket.write(bytes)) await once(upload.socket, 'drain');
  };
  for (const { path, head } of parts) {
    await write(head);
    for await (const block of createReadStream(path, { highWaterMark: 2 ** 20 })) await write(block as Buffer);
    await write('\r\n');
  }
  await write(end);
  return await upload.until('"checks"');
}
