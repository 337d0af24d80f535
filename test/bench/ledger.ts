// Benchmark of the embedded ledger on SQLite: durable appends per second, concurrent and one by one, against bare
// commits of one row; and the speed of publishing a backlog. Run: node test/bench/ledger.ts [entries] [folder]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { sql } from 'kysely';
import { inTurns, printFigures } from '../support/bench-figures.ts';
import { openTestDatabase } from '../support/database-address.ts';
import { fileRecord, newLedgerKey, openTestLedger, openTestStore } from '../support/ledgers.ts';

const [count = 20_000, base = tmpdir()] = [Number(process.argv[2] ?? 20_000), process.argv[3]];
const rounds = 5;
const atOnce = 64;

async function perSecond(times: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return times / ((performance.now() - started) / 1000);
}

const folder = await mkdtemp(join(base, 'recordproof-bench-'));
const { db, kind, close } = await openTestDatabase({ kind: 'sqlite', at: join(folder, 'bench.db') });
await migrate(db, kind, migrations, 0);
await sql`create table bare (id integer primary key, hash text not null)`.execute(db);
const objects = await openTestStore(join(folder, 'objects'));
let next = 0;
try {
  await using ledger = await openTestLedger(db, objects, newLedgerKey());
  const few = Math.ceil(count / 50);
  const append = () => ledger.append(fileRecord(next++));
  const { bare, single, many, publish } = await inTurns(rounds, {
    bare: () =>
      perSecond(few, async () => {
        for (let i = 0; i < few; i++) await sql`insert into bare (hash) values (${'0'.repeat(64)})`.execute(db);
      }),
    single: () =>
      perSecond(few, async () => {
        for (let i = 0; i < few; i++) await append();
      }),
    many: () =>
      perSecond(count, async () => {
        let left = count;
        const lane = async () => {
          while (left-- > 0) await append();
        };
        await Promise.all(Array.from({ length: atOnce }, lane));
      }),
    publish: async () => {
      await ledger.publish();
      await Promise.all(Array.from({ length: count }, append));
      return await perSecond(count, () => ledger.publish());
    },
  });
  const references = { 'commits of one row': bare };
  printFigures(`ledger, ${count} entries`, [
    { name: 'appends, one by one', unit: 'entries/s', samples: single, references },
    { name: `appends, ${atOnce} at once`, unit: 'entries/s', samples: many, references },
    { name: 'publishing a backlog', unit: 'entries/s', samples: publish },
  ]);
} finally {
  await close();
  await rm(folder, { recursive: true, force: true });
}
