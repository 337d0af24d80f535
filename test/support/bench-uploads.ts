// Clients and reference servers of the upload benchmark, and its data.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { pattern } from './bytes.ts';
import { collectOutput, findFreePort, spawnTied, waitUntilReady } from './child-process.ts';

export type Transfer = { readonly url: string; readonly path: string; readonly headers: readonly string[] };

const quote = (text: string): string => text.replace(/["\\]/g, '\\$&');

/** Puts every part; any answer but success fails. */
export async function sendParts(transfers: readonly Transfer[], atOnce: number, method = 'PUT'): Promise<void> {
  const entries = transfers.map(({ url, path, headers }) =>
    [
      `url = "${quote(url)}"`,
      `upload-file = "${quote(path)}"`,
      `request = "${method}"`,
      'output = "/dev/null"',
      'header = "Expect:"',
      'fail',
      'silent',
      'show-error',
      ...headers.map(header => `header = "${quote(header)}"`),
    ].join('\n'),
  );
  const together = atOnce > 1 ? ['-Z', '--parallel-immediate', '--parallel-max', String(atOnce)] : [];
  const curl = spawn('curl', ['--no-progress-meter', ...together, '-K', '-'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  curl.stdin.end(entries.join('\nnext\n'));
  const [code] = await once(curl, 'exit');
  if (code !== 0) throw new Error(`curl ended with ${code}`);
}

const toDigest = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export async function writeParts(folder: string, total: number, size: number) {
  const whole = createHash('sha256');
  const paths: string[] = [];
  const announced = [];
  for (let index = 0; index * size < total; index += 1) {
    const bytes = await pattern(Math.min(size, total - index * size), index + 1);
    const path = join(folder, `part-${index}`);
    await writeFile(path, bytes);
    whole.update(bytes);
    paths.push(path);
    const hash = toDigest(bytes);
    const part = { index, size: bytes.length, plainHash: hash, cipherHash: hash };
    announced.push({ ...part, checksumAlgorithm: 'SHA-256' as const });
  }
  return { total, size, paths, announced, contentHash: `sha256:${whole.digest('hex')}` };
}

type Parts = Awaited<ReturnType<typeof writeParts>>;

/** In one process, on one core. */
export async function hashByOpenssl({ paths }: Parts): Promise<void> {
  const openssl = spawn('openssl', ['dgst', '-sha256', ...paths], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(openssl, 'exit');
  if (code !== 0) throw new Error(`openssl ended with ${code}`);
}

/** Processor seconds of two SHA-256 and one AES-256-GCM over the parts, on two threads at once: they may share a core. */
export async function encryptAndHash({ paths }: Parts): Promise<number> {
  const program = new URL('./children/crypto-reference.ts', import.meta.url);
  const halves = [0, 1].map(async half => {
    const [seconds] = await once(new Worker(program, { workerData: { paths, half } }), 'message');
    return seconds as number;
  });
  return (await Promise.all(halves)).reduce((sum, seconds) => sum + seconds, 0);
}

/** What this side of `upload`, `download` and `disk-put` needs. */
export const nginxPrograms = ['nginx', 'setpriv', 'curl'] as const;
export const tusPrograms = ['setpriv', 'curl'] as const;

const untilItAnswers = (url: string, child: ChildProcess) =>
  waitUntilReady(child, () => fetch(url, { signal: AbortSignal.timeout(5000) }), {
    timeoutMs: 30_000,
    pollMs: 20,
    output: collectOutput(child),
  });

export async function startNginx(folder: string) {
  const port = await findFreePort();
  await mkdir(join(folder, 'files'), { recursive: true });
  const config = `daemon off; master_process off; worker_processes 1; user root; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 64; }
    http { access_log off; client_max_body_size 0; client_body_buffer_size 1m; client_body_temp_path ${folder}/temp;
      server { listen 127.0.0.1:${port}; root ${folder}/files; location / { dav_methods PUT; create_full_put_path on; } } }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const child = spawnTied('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url, child);
  return {
    url,
    put: ({ paths }: Parts, atOnce: number) =>
      sendParts(
        paths.map((path, index) => ({ url: `${url}/${index}`, path, headers: [] })),
        atOnce,
      ),
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

export async function startTus(folder: string) {
  const port = await findFreePort();
  const script = fileURLToPath(new URL('./children/tus.ts', import.meta.url));
  const child = spawnTied(process.execPath, [script, folder, String(port)]);
  const url = `http://127.0.0.1:${port}/files`;
  await untilItAnswers(url, child);
  return {
    /** One upload, its parts in order, as the protocol requires. */
    put: async ({ paths, size, total }: Parts) => {
      const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(total) };
      const created = await fetch(url, { method: 'POST', headers });
      const location = new URL(created.headers.get('location') ?? '', url).href;
      const offset = (index: number) => [
        'Tus-Resumable: 1.0.0',
        `Upload-Offset: ${index * size}`,
        'Content-Type: application/offset+octet-stream',
      ];
      const transfers = paths.map((path, index) => ({ url: location, path, headers: offset(index) }));
      await sendParts(transfers, 1, 'PATCH');
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}
