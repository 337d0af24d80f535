// Downloads of one large file, every byte proven by the server before it is let go, against nginx, which sends the same
// bytes as they are. The same curl fetches both, in turns; ratios are of the same round.
// Run: node test/bench/download.ts [folder] [MiB] [rounds].
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as api from '@recordproof/shared/api/uploads.ts';
import { type BenchServer, startBenchServer } from '../support/bench-server.ts';
import { sendParts, startNginx, writeParts } from '../support/bench-uploads.ts';

const MiB = 2 ** 20;
const [base = tmpdir(), total = '1024', rounds = '5'] = process.argv.slice(2);
const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

type Parts = Awaited<ReturnType<typeof writeParts>>;

async function store(ours: BenchServer, parts: Parts, kind: 'direct' | 'proxied'): Promise<string> {
  const { alice } = ours;
  const plan = {
    fileName: `${kind}.bin`,
    fileSize: parts.total,
    chunkSize: parts.size,
    totalChunks: parts.paths.length,
  };
  if (kind === 'direct') {
    const session = await alice.call(api.startDirectUpload, { body: { ...plan, parts: parts.announced } });
    const transfers = session.parts.map(({ uploadUrl: url }, index) => ({
      url,
      path: parts.paths[index] ?? '',
      headers: [],
    }));
    await sendParts(transfers, 2);
    const params = { clientId: session.clientId };
    return (await alice.call(api.completeDirectUpload, { params, body: { parts: [] } })).fileHash;
  }
  const { clientId } = await alice.call(api.createUploadSession, { body: plan });
  const headers = [`Authorization: Bearer ${alice.token}`];
  const url = (index: number) => `${alice.baseUrl}/api/v1/upload-sessions/${clientId}/parts/${index}`;
  await sendParts(
    parts.paths.map((path, index) => ({ url: url(index), path, headers })),
    2,
  );
  return (await alice.call(api.completeUploadSession, { params: { clientId } })).fileHash;
}

async function concatenate(parts: Parts, path: string): Promise<void> {
  await copyFile(parts.paths[0] ?? '', path);
  await using file = await open(path, 'a');
  for (const part of parts.paths.slice(1)) {
    await using source = await open(part, 'r');
    for await (const block of source.createReadStream({ highWaterMark: MiB })) await file.write(block as Buffer);
  }
}

async function fetchTo(path: string, url: string, token?: string): Promise<number> {
  const headers = token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`];
  const started = performance.now();
  const curl = spawn('curl', ['-sSf', '-o', path, ...headers, url], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(curl, 'exit');
  if (code !== 0) throw new Error(`curl ended with ${code}`);
  return (performance.now() - started) / 1000;
}

await using cleanUp = new AsyncDisposableStack();
const folder = await mkdtemp(join(base, 'recordproof-bench-'));
cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
const parts = await writeParts(folder, Number(total) * MiB, 20 * MiB);
const ours = await startBenchServer(join(folder, 'ours'));
cleanUp.use(ours.server);
const nginx = cleanUp.use(await startNginx(join(folder, 'nginx')));
const hashes = { direct: await store(ours, parts, 'direct'), proxied: await store(ours, parts, 'proxied') };
await concatenate(parts, join(folder, 'nginx', 'files', 'whole'));
const target = join(folder, 'fetched');
const times = { nginx: [] as number[], direct: [] as number[], proxied: [] as number[] };
for (let round = 0; round <= Number(rounds); round += 1) {
  const measured = {
    nginx: await fetchTo(target, `${nginx.url}/whole`),
    direct: await fetchTo(target, `${ours.server.url}/api/v1/files/${hashes.direct}/download`, ours.alice.token),
    proxied: await fetchTo(target, `${ours.server.url}/api/v1/files/${hashes.proxied}/download`, ours.alice.token),
  };
  if (round === 0) continue; // warms the machine up
  for (const name of ['nginx', 'direct', 'proxied'] as const) times[name].push(measured[name]);
}
const ratio = (name: 'direct' | 'proxied') =>
  median(times[name].map((time, round) => (times.nginx[round] ?? 0) / time)).toFixed(2);
const rate = (name: keyof typeof times) => (Number(total) / median(times[name])).toFixed(0);
console.log(`nginx ${rate('nginx')} MiB/s`);
console.log(`plain chunks ${rate('direct')} MiB/s, ${ratio('direct')} × nginx`);
console.log(`sealed chunks ${rate('proxied')} MiB/s, ${ratio('proxied')} × nginx`);
