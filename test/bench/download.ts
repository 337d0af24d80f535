// Benchmark of downloads of one large file, every byte verified by the server before it is sent, against nginx, which
// sends the same bytes as they are. The same curl fetches both, in turns; ratios are per round.
// Run: node test/bench/download.ts [folder] [MiB] [rounds].
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import { canMeasure, inTurns, printFigures } from '../support/bench-figures.ts';
import { type BenchServer, startBenchServer } from '../support/bench-server.ts';
import { nginxPrograms, sendParts, startNginx, writeParts } from '../support/bench-uploads.ts';

const MiB = 2 ** 20;
const [base = tmpdir(), total = '1024', rounds = '5'] = process.argv.slice(2);

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
    const session = await alice.call(directApi.startDirectUpload, { body: { ...plan, parts: parts.announced } });
    const transfers = session.parts.map(({ uploadUrl: url }, index) => ({
      url,
      path: parts.paths[index] ?? '',
      headers: [],
    }));
    await sendParts(transfers, 2);
    const params = { clientId: session.clientId };
    return (await alice.call(directApi.completeDirectUpload, { params, body: { parts: [] } })).fileHash;
  }
  const { clientId } = await alice.call(sessionApi.createUploadSession, { body: plan });
  const headers = [`Authorization: Bearer ${alice.token}`];
  const url = (index: number) => `${alice.baseUrl}/api/v1/upload-sessions/${clientId}/parts/${index}`;
  await sendParts(
    parts.paths.map((path, index) => ({ url: url(index), path, headers })),
    2,
  );
  return (await alice.call(sessionApi.completeUploadSession, { params: { clientId } })).fileHash;
}

async function concatenate(parts: Parts, path: string): Promise<void> {
  await copyFile(parts.paths[0] ?? '', path);
  await using file = await open(path, 'a');
  for (const part of parts.paths.slice(1)) {
    await using source = await open(part, 'r');
    for await (const block of source.createReadStream({ highWaterMark: MiB })) await file.write(block as Buffer);
  }
}

/** MiB per second. */
async function fetchTo(path: string, url: string, token?: string): Promise<number> {
  const headers = token === undefined ? [] : ['-H', `Authorization: Bearer ${token}`];
  const started = performance.now();
  const curl = spawn('curl', ['-sSf', '-o', path, ...headers, url], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(curl, 'exit');
  if (code !== 0) throw new Error(`curl ended with ${code}`);
  return (Number(total) * 1000) / (performance.now() - started);
}

if (!canMeasure('downloads', 'curl')) process.exit();
await using cleanUp = new AsyncDisposableStack();
const folder = await mkdtemp(join(base, 'recordproof-bench-'));
cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
const parts = await writeParts(folder, Number(total) * MiB, 20 * MiB);
const ours = await startBenchServer(join(folder, 'ours'));
cleanUp.use(ours.server);
const nginx = canMeasure('nginx', ...nginxPrograms) ? cleanUp.use(await startNginx(join(folder, 'nginx'))) : null;
const hashes = { direct: await store(ours, parts, 'direct'), proxied: await store(ours, parts, 'proxied') };
if (nginx !== null) await concatenate(parts, join(folder, 'nginx', 'files', 'whole'));
const target = join(folder, 'fetched');
const fetchOurs = (hash: string) => () =>
  fetchTo(target, `${ours.server.url}/api/v1/files/${hash}/download`, ours.alice.token);
const contenders = {
  nginx: async () => (nginx === null ? Number.NaN : fetchTo(target, `${nginx.url}/whole`)),
  direct: fetchOurs(hashes.direct),
  proxied: fetchOurs(hashes.proxied),
};
await inTurns(1, contenders); // warm-up
const rates = await inTurns(Number(rounds), contenders);
const references = { nginx: rates.nginx };
printFigures(`download of ${total} MiB`, [
  { name: 'plain chunks', unit: 'MiB/s', samples: rates.direct, references },
  { name: 'sealed chunks', unit: 'MiB/s', samples: rates.proxied, references },
]);
