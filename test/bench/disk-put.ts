// Benchmark of the disk store behind a bare HTTP server (hashed and fsynced), against nginx's WebDAV PUT (neither). The
// same curl sends the same parts to both, in turns. Run: node test/bench/disk-put.ts [folder] [total MiB] [parallel]
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDiskStore } from '../../server/src/platform/objects/disk-store.ts';
import { canMeasure, inTurns, printFigures } from '../support/bench-figures.ts';
import { nginxPrograms, sendParts, startNginx } from '../support/bench-uploads.ts';
import { pattern } from '../support/bytes.ts';
import { readFirstLine, spawnTied } from '../support/child-process.ts';

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

async function startStore(folder: string): Promise<{ readonly url: string } & Disposable> {
  const child = spawnTied(process.execPath, [fileURLToPath(import.meta.url), '--serve', folder]);
  return { url: await readFirstLine(child), [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

type Target = { readonly url: string; readonly path: string; readonly partBytes: number };

/** MiB per second until every part is acknowledged. Later rounds overwrite the parts of the first. */
async function send({ url, path, partBytes }: Target, totalBytes: number, parallel: number): Promise<number> {
  const parts = Math.ceil(totalBytes / partBytes);
  const transfers = Array.from({ length: parts }, (_, index) => ({ url: `${url}/${index}`, path, headers: [] }));
  const started = performance.now();
  await sendParts(transfers, parallel);
  return (parts * partBytes * 1000) / mebibyte / (performance.now() - started);
}

async function compare(base: string, totalBytes: number, parallel: number): Promise<void> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(base, 'recordproof-bench-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const memory = await mkdtemp('/dev/shm/recordproof-bench-');
  cleanUp.defer(() => rm(memory, { recursive: true, force: true }));
  const store = cleanUp.use(await startStore(join(folder, 'store')));
  const nginx = canMeasure('nginx', ...nginxPrograms) ? cleanUp.use(await startNginx(join(folder, 'nginx'))) : null;
  let large: number[] | undefined;
  for (const partBytes of [50 * mebibyte, 2 * mebibyte]) {
    const path = join(memory, 'part');
    await writeFile(path, await pattern(partBytes));
    const put = (url: string) => send({ url, path, partBytes }, totalBytes, parallel);
    const rates = await inTurns(rounds, {
      nginx: async () => (nginx === null ? Number.NaN : put(nginx.url)),
      store: () => put(store.url),
    });
    const references = { nginx: rates.nginx, ...(large && { 'parts of 50 MiB': large }) };
    printFigures(`${totalBytes / mebibyte} MiB in parts of ${partBytes / mebibyte}, ${parallel} at once`, [
      { name: 'disk store', unit: 'MiB/s', samples: rates.store, references },
    ]);
    large = rates.store;
  }
}

const [first = tmpdir(), second = '1024', third = '1'] = process.argv.slice(2);
if (first === '--serve') await serve(second);
else if (canMeasure('puts', 'curl', 'setpriv')) await compare(first, Number(second) * mebibyte, Number(third));
