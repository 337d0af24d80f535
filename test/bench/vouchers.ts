// Benchmark of vouchers: uploads to a server with three witnesses and an authority against one without, in turns; the
// time until two of three witnesses vouch for an entry; and the existence check against a Node that does nothing.
// Run: npm run bench vouchers, or node test/bench/vouchers.ts [seconds] [rounds]
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { openDatabase } from '@recordproof/server/platform/db/open-db.ts';
import { readConfig } from '../../server/src/config/config.ts';
import type { Person } from '../support/app.ts';
import { canMeasure, inTurns, printFigures, quantile } from '../support/bench-figures.ts';
import { startBenchServer } from '../support/bench-server.ts';
import { content, makeWorld, policyText } from '../support/existence-world.ts';
import { serve } from '../support/outside-services.ts';
import { timeBareNode } from '../support/server-process.ts';
import { makeAuthority } from '../support/time-stamp-authority.ts';
import { storeProxied } from '../support/uploads.ts';
import { runVerifier } from '../support/verifier-process.ts';
import { makeLedgerFolder, startWitness } from '../support/witnesses.ts';

const seconds = Number(process.argv[2] ?? 20);
const rounds = Number(process.argv[3] ?? 5);
const lanes = 8;
const quorum = 2;
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const openssl = promisify(execFile);
const laptop = { RECORDPROOF_PROFILE: 'laptop' };

/** Uploads small files concurrently for that long; files per second. */
async function uploadFor(person: Person): Promise<number> {
  const started = performance.now();
  const end = started + seconds * 1000;
  let files = 0;
  const lane = async () => {
    while (performance.now() < end) {
      await storeProxied(person, randomBytes(10_240));
      files += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (files * 1000) / (performance.now() - started);
}

/** `openssl ts` in processes of its own, so that this one can keep sending. */
function startAuthority() {
  const own = join(folder, 'tsa');
  mkdirSync(own);
  const { rootsPath } = makeAuthority(own);
  const path = (name: string) => join(own, name);
  return {
    rootsPath,
    served: serve(async (request, response) => {
      await writeFile(path('asked.tsq'), await buffer(request));
      await openssl('openssl', [
        'ts',
        '-reply',
        '-config',
        path('tsa.conf'),
        '-queryfile',
        path('asked.tsq'),
        '-out',
        path('said.tsr'),
      ]);
      response.end(await readFile(path('said.tsr')));
    }),
  };
}

/** Milliseconds of each entry from its time until the quorum's cosignature was stored. */
async function listDelays(dataFolder: string): Promise<number[]> {
  const { db, close } = await openDatabase((await readConfig(['--data', dataFolder], {})).db);
  try {
    const entries = await db
      .selectFrom('ledger_entry')
      .select(['position', 'recorded_at'])
      .orderBy('position')
      .execute();
    const vouchers = await db
      .selectFrom('voucher')
      .select(['checkpoint_size', 'created_at'])
      .where('kind', '=', 'WITNESS')
      .orderBy('checkpoint_size')
      .orderBy('created_at')
      .execute();
    const bySize = [...Map.groupBy(vouchers, ({ checkpoint_size }) => checkpoint_size)];
    const reached = bySize.flatMap(([size, own]) =>
      own[quorum - 1] ? [{ size, at: own[quorum - 1]?.created_at ?? 0 }] : [],
    );
    return entries.flatMap(({ position, recorded_at }) => {
      const first = reached.find(({ size }) => size > position);
      return first === undefined ? [] : [first.at - recorded_at];
    });
  } finally {
    await close();
  }
}

async function compareUploads(): Promise<void> {
  await using ledger = await makeLedgerFolder('ledger.example/log');
  const authority = startAuthority();
  await using stamps = await authority.served;
  await using witnesses = new AsyncDisposableStack();
  const settings: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    const plan = { name: `${name}.example`, logKey: ledger.logKey, folder: join(folder, name) };
    settings.push(witnesses.use(await startWitness(plan)).setting);
  }
  const vouching = {
    ...ledger.env,
    RECORDPROOF_LEDGER_WITNESSES: settings.join(','),
    RECORDPROOF_LEDGER_STAMP_AUTHORITIES: `${stamps.url} roots=${authority.rootsPath}`,
  };
  {
    const plain = await startBenchServer(join(folder, 'plain'), laptop);
    await using _plain = plain.server;
    const vouched = await startBenchServer(ledger.folder, { ...laptop, ...vouching });
    await using _vouched = vouched.server;
    for (const { alice } of [plain, vouched]) await storeProxied(alice, randomBytes(10_240)); // warm-up
    const seen = await inTurns(rounds, {
      none: () => uploadFor(plain.alice),
      vouched: () => uploadFor(vouched.alice),
    });
    const references = { 'server without vouchers': seen.none };
    printFigures(`files of 10 KiB, ${lanes} at once`, [
      { name: 'three witnesses, a stamp a minute', unit: 'files/s', samples: seen.vouched, references },
    ]);
  }
  const delays = await listDelays(ledger.folder);
  printFigures('time until two of three witnesses have cosigned an entry', [
    { name: 'each entry', unit: 'ms', samples: delays },
    { name: '99th percentile', unit: 'ms', samples: quantile(delays, 0.99), note: '(<= 5000)' },
  ]);
}

async function timeExistence(): Promise<void> {
  const world = await makeWorld();
  const path = (name: string) => join(folder, name);
  writeFileSync(path('report.bin'), content);
  writeFileSync(path('report.bin.proof.zip'), world.archive);
  writeFileSync(path('report.bin.tlog-proof'), world.tlogProof);
  writeFileSync(path('policy.txt'), policyText());
  const program = async () => {
    const run = await runVerifier(['existence', path('report.bin'), '--policy', path('policy.txt')]);
    if (run.code !== 0) throw new Error(`the verifier ended with ${run.code}`);
    return run.millis;
  };
  await program(); // fills the compile cache
  const seen = await inTurns(Math.max(rounds, 15), { bare: timeBareNode, program });
  const more = seen.program.map((ms, round) => ms - (seen.bare[round] ?? Number.NaN));
  printFigures('an existence check with three cosignatures', [
    { name: 'recordproof-verify existence', unit: 'ms', samples: seen.program, references: { 'node -e 0': seen.bare } },
    { name: 'above node -e 0', unit: 'ms', samples: more },
  ]);
}

try {
  if (canMeasure('uploads with vouchers', 'openssl')) await compareUploads();
  await timeExistence();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
