// How many durable appends a second the embedded ledger takes on SQLite, many at once and one by one, against bare
// commits of one row; and how fast a backlog is published. Run: node test/bench/ledger.ts [entries] [folder]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { sql } from 'kysely';
import { fileRecord, newLedgerKey, openTestLedger, openTestStore } from '../support/ledgers.ts';
import { openPlace } from '../support/place.ts';

const [count = 20_000, base = tmpdir()] = [Number(process.argv[2] ?? 20_000), process.argv[3]];
const rounds = 5;
const atOnce = 64;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function perSecond(times: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return times / ((performance.now() - started) / 1000);
}

const folder = await mkdtemp(join(base, 'recordproof-bench-'));
const { db, kind, close } = await openPlace({ kind: 'sqlite', at: join(folder, 'bench.db') });
await migrate(db, kind, migrations, 0);
await sql`create table bare (id integer primary key, hash text not null)`.execute(db);
const objects = await openTestStore(join(folder, 'objects'));
let next = 0;
const figures = { bare: [] as number[], single: [] as number[], many: [] as number[], publish: [] as number[] };
try {
  await using ledger = await openTestLedger(db, objects, newLedgerKey());
  const few = Math.ceil(count / 50);
  for (let round = 0; round < rounds; round++) {
    const bare = await perSecond(few, async () => {
      for (let i = 0; i < few; i++) await sql`insert into bare (hash) values (${'0'.repeat(64)})`.execute(db);
    });
    const single = await perSecond(few, async () => {
      for (let i = 0; i < few; i++) await ledger.append(fileRecord(next++));
    });
    const many = await perSecond(count, async () => {
      let left = count;
      const lane = async () => {
        while (left-- > 0) await ledger.append(fileRecord(next++));
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    });
    await ledger.publish();
    await Promise.all(Array.from({ length: count }, () => ledger.append(fileRecord(next++))));
    const publish = await perSecond(count, () => ledger.publish());
    for (const [name, value] of Object.entries({ bare, single, many, publish }))
      figures[name as keyof typeof figures].push(value);
  }
  const text = (name: keyof typeof figures) => Math.round(median(figures[name])).toLocaleString('en');
  const ratio = (name: 'single' | 'many') =>
    median(figures[name].map((value, round) => value / (figures.bare[round] ?? value))).toFixed(2);
  console.log(`bare commits of one row, one by one: ${text('bare')}/s`);
  console.log(`appends, one by one: ${text('single')}/s, ${ratio('single')} of the bare commits`);
  console.log(`appends, ${atOnce} at once: ${text('many')}/s, ${ratio('many')} of the bare commits`);
  console.log(`publishing a backlog of ${count.toLocaleString('en')}: ${text('publish')} entries/s`);
} finally {
  await close();
  await rm(folder, { recursive: true, force: true });
}
