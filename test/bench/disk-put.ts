// The disk store behind a bare HTTP server, hashed and fsynced, against nginx's WebDAV PUT, which does neither. The
// same curl sends the same parts to both, in turns. Run: node test/bench/disk-put.ts [folder] [total MiB] [parallel]
import { execFile, spawn } from 'node:child_process';
import { createSecretKey, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDiskStore } from '../../server/src/platform/objects/disk-store.ts';
import { pattern } from '../support/bytes.ts';
import { median } from '../support/rounds.ts';

const run = promisify(execFile);
const mebibyte = 1024 * 1024;
const rounds = 7;

async function serve(folder: string): Promise<void> {
  const presign = { baseUrl: 'http://127.0.0.1', secret: createSecretKey(randomBytes(32)) };
  const store = await openDiskStore({ folder, presign });
  const server = createServer({ highWaterMark: mebibyte }, async (request, response) => {
    await store.put(`bench${request.url}`, request, { size: Number(request.headers['content-length']) });
    response.writeHead(201).end();
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}\n`);
  });
}

const child = (program: string, args: readonly string[]) =>
  spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

async function startStore(folder: string) {
  const server = child(process.execPath, [fileURLToPath(import.meta.url), '--serve', folder]);
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return { url: line.toString().trim(), stop: () => server.kill('SIGKILL') };
}

async function startNginx(folder: string) {
  const port = 20_000 + (process.pid % 20_000);
  await mkdir(join(folder, 'files'), { recursive: true });
  const config = `daemon off; master_process off; worker_processes 1; user root; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 64; }
    http { access_log off; client_max_body_size 0; client_body_buffer_size 1m; client_body_temp_path ${folder}/temp;
      server { listen 127.0.0.1:${port}; root ${folder}/files; location / { dav_methods PUT; create_full_put_path on; } } }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const server = child('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(url).catch(() => null)) === null) await delay(20);
  return { url, stop: () => server.kill('SIGKILL') };
}

/** Seconds until every part is acknowledged. */
async function send(url: string, part: string, parts: number, parallel: number, round: number): Promise<number> {
  const transfers = Array.from({ length: parts }, (_, index) => [
    '-T',
    part,
    '-o',
    '/dev/null',
    `${url}/${round}-${index}`,
  ]);
  const together = parallel > 1 ? ['-Z', '--parallel-max', String(parallel)] : [];
  const started = performance.now();
  await run('curl', ['-s', '-S', '--fail', '-H', 'Expect:', ...together, ...transfers.flat()]);
  return (performance.now() - started) / 1000;
}

async function compare(base: string, totalBytes: number, parallel: number): Promise<void> {
  const folder = await mkdtemp(join(base, 'recordproof-bench-'));
  const memory = await mkdtemp('/dev/shm/recordproof-bench-');
  const store = await startStore(join(folder, 'store'));
  const nginx = await startNginx(join(folder, 'nginx'));
  try {
    const reference = new Map<string, number>();
    for (const partBytes of [50 * mebibyte, 2 * mebibyte]) {
      const part = join(memory, 'part');
      await writeFile(part, await pattern(partBytes));
      const parts = Math.ceil(totalBytes / partBytes);
      const rates = { nginx: [] as number[], store: [] as number[], ratio: [] as number[] };
      for (let round = 0; round < rounds; round += 1) {
        const nginxRate = (parts * partBytes) / mebibyte / (await send(nginx.url, part, parts, parallel, round % 2));
        const storeRate = (parts * partBytes) / mebibyte / (await send(store.url, part, parts, parallel, round % 2));
        rates.nginx.push(nginxRate);
        rates.store.push(storeRate);
        rates.ratio.push(storeRate / nginxRate);
      }
      const figures = [median(rates.nginx), median(rates.store)].map(rate => rate.toFixed(0));
      const ratios = [median(rates.ratio), Math.min(...rates.ratio), Math.max(...rates.ratio)].map(ratio =>
        ratio.toFixed(2),
      );
      const what = `${partBytes / mebibyte} MiB parts, ${parallel} at once`;
      console.log(
        `${what}: nginx ${figures[0]}, store ${figures[1]} MiB/s; store / nginx ${ratios[0]} (${ratios[1]} to ${ratios[2]})`,
      );
      const large = reference.get('store');
      reference.set('store', median(rates.store));
      if (large !== undefined)
        console.log(`small parts reach ${(median(rates.store) / large).toFixed(2)} of the rate of large ones`);
    }
  } finally {
    store.stop();
    nginx.stop();
    await rm(folder, { recursive: true, force: true });
    await rm(memory, { recursive: true, force: true });
  }
}

const [first = tmpdir(), second = '1024', third = '1'] = process.argv.slice(2);
if (first === '--serve') await serve(second);
else await compare(first, Number(second) * mebibyte, Number(third));
