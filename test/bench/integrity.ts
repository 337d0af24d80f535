// How fast a LIGHTWEIGHT check goes over many small files on the embedded store, and what memory it takes.
//   node test/bench/integrity.ts [files] [sqlite|postgres]
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { checkIntegrity } from '@recordproof/shared/api/integrity.ts';
import { startApp } from '../support/app.ts';
import { pattern } from '../support/bytes.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { sendMany } from '../support/uploads.ts';

const files = Number(process.argv[2] ?? 100_000);
const engine = process.argv[3] === 'postgres' ? 'postgres' : 'sqlite';
const filesACall = 500;
const rounds = 3;
const wantedPerSecond = 2000;

// Stopped behind the server: what is used last ends first.
await using _services = { [Symbol.asyncDispose]: stopPostgres };
const env: Record<string, string> =
  engine === 'sqlite' ? {} : { DATABASE_URL: (await (await postgres()).freshDatabase()).url };
await using app = await startApp({ engine, env });
const alice = await app.person('alice');
const root = await app.person('root', { role: 'admin' });

for (let stored = 0; stored < files; stored += filesACall) {
  const count = Math.min(filesACall, files - stored);
  const batch = await Promise.all(Array.from({ length: count }, (_, nth) => pattern(200, stored + nth)));
  const { status, message } = await sendMany(
    alice,
    batch.map(bytes => ({ bytes })),
  );
  if (status !== 200) throw new Error(message);
}
await app.drain();

const toMiB = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

for (let round = 0; round < rounds; round += 1) {
  const startedAt = performance.now();
  let most = 0;
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 100);
  const response = await root.fetch(checkIntegrity.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ level: 'LIGHTWEIGHT' }),
  });
  const { data } = (await response.json()) as { data: AnswerOf<typeof checkIntegrity> };
  const { totalChecked, mismatchesFound, errorsEncountered } = data;
  clearInterval(look);
  const perSecond = Math.round(totalChecked / ((performance.now() - startedAt) / 1000));
  console.log(`${totalChecked} files: ${perSecond} objects/s (wanted ${wantedPerSecond}), at most ${toMiB(most)}`);
  if (mismatchesFound + errorsEncountered > 0) throw new Error('whole files were not found whole');
}
