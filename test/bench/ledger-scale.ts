// The embedded ledger at as many entries as are named: growth in steps of a publication with every tile durable on disk, then
// start, inclusion and consistency proofs, appends and publications on it, against a ledger of 65,536 entries in the same run.
// Leaf hashes are made up and the rows behind them left out, so that 10^8 entries take tiles, not 60 GB of database; all
// else is the code of the server. Hashing is compared with bare SHA-256 of as many tree nodes. All files are removed.
// Run: node test/bench/ledger-scale.ts [entries] [folder]
import { createPrivateKey } from 'node:crypto';
import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import { type Ledger, toNoteSigner } from '@recordproof/server/features/chain/index.ts';
import { toStored } from '@recordproof/server/features/chain/ledger/entry-tiles.ts';
import {
  emptyEdge,
  growEdge,
  type LedgerEdge,
  partialTiles,
} from '@recordproof/server/features/chain/ledger/ledger-edge.ts';
import { noteNewest, toCheckpointRow } from '@recordproof/server/features/chain/ledger/publish-checkpoint.ts';
import { ensureLog, findNewestCheckpoint, moveCheckpoint } from '@recordproof/server/features/chain/ledger/queries.ts';
import { removeTiles, writeTiles } from '@recordproof/server/features/chain/ledger/tile-store.ts';
import { systemClock } from '@recordproof/server/platform/clock.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import type { ObjectStore } from '@recordproof/server/platform/objects/object-store.ts';
import { parseHex, sha256, toHex } from '@recordproof/shared/evidence/digest.ts';
import { openNodes, proveConsistency } from '@recordproof/shared/evidence/log-reader.ts';
import { isIncluded } from '@recordproof/shared/evidence/merkle.ts';
import { hashRanges, inclusionRanges, type SizedRoot } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { tileWidth, tileWidthAt } from '@recordproof/shared/evidence/tlog-tiles.ts';
import { inTurns, printFigures } from '../support/bench-figures.ts';
import { openTestDatabase } from '../support/database-address.ts';
import { fileRecord, newLedgerKey, openTestLedger, openTestStore } from '../support/ledgers.ts';

const [wanted = 1_000_000, base = tmpdir()] = [Number(process.argv[2] ?? 1_000_000), process.argv[3]];
/** Whole bundles: the rows of an open one would be read. */
const count = Math.ceil(wanted / tileWidth) * tileWidth;
const smallCount = 256 * tileWidth;
const perStep = 64 * tileWidth;
const sections = 10;
const rounds = 5;
const proofs = 40;
const appends = 512;
const MiB = 2 ** 20;

const origin = 'test.example/log'; // as openTestLedger calls it
const toLeaf = (position: number): Uint8Array => {
  const leaf = Buffer.alloc(32, 1);
  leaf.writeDoubleBE(position);
  return new Uint8Array(leaf);
};

const calls = ['create', 'put', 'get', 'delete'] as const;
type Calls = Record<(typeof calls)[number], number>;

/** Counts the calls of the ledger. */
function watch(objects: ObjectStore): { readonly objects: ObjectStore; readonly made: Calls } {
  const made: Calls = { create: 0, put: 0, get: 0, delete: 0 };
  const counting = new Proxy(objects, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...parameters: unknown[]) => {
        if (name in made) made[name as keyof Calls] += 1;
        return member.apply(target, parameters);
      };
    },
  });
  return { objects: counting, made };
}

type World = { readonly database: Database; readonly objects: ObjectStore; readonly made: Calls; readonly key: string };

async function openWorld(folder: string): Promise<World> {
  await mkdir(folder);
  const database = await openTestDatabase({ kind: 'sqlite', at: join(folder, 'ledger.db') });
  await migrate(database.db, database.kind, migrations, 0);
  return { database, ...watch(await openTestStore(join(folder, 'objects'))), key: newLedgerKey() };
}

type Times = { grow: number; bare: number; write: number; sign: number };
type Section = Times & { entries: number; tiles: number; bytes: number; peak: number };
const newSection = (): Section => ({ grow: 0, bare: 0, write: 0, sign: 0, entries: 0, tiles: 0, bytes: 0, peak: 0 });

async function timed<T>(section: Section, what: keyof Times, work: () => T | Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  section[what] += (performance.now() - started) / 1000;
  return result;
}

/** Processor time of this thread: what only computes is compared by that, as other programs do not count in it. */
function computed<T>(section: Section, what: keyof Times, work: () => T): T {
  const before = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(before);
  section[what] += (user + system) / 1e6;
  return result;
}

function hashBare(nodes: number): void {
  const node = new Uint8Array(65);
  for (let i = 0; i < nodes; i += 1) sha256(node);
}

/** As a server publishes, step by step; returns what each tenth took, and the signed roots at their ends. */
async function grow({ database: { db }, objects, key }: World, size: number) {
  const privateKey = createPrivateKey(key);
  const signer = toNoteSigner(origin, privateKey);
  await ensureLog(db, origin, toHex(signer.publicKey));
  const done: Section[] = [];
  const roots: SizedRoot[] = [];
  let section = newSection();
  let edge: LedgerEdge = emptyEdge;
  for (let from = 0; from < size; ) {
    const to = Math.min(size, from + perStep);
    const leaves = Array.from({ length: to - from }, (_, at) => toLeaf(from + at));
    const grown = computed(section, 'grow', () => growEdge(edge, leaves));
    computed(section, 'bare', () => hashBare(leaves.length));
    const tiles = toStored(grown.tiles);
    await timed(section, 'write', () => writeTiles(objects, tiles));
    const checkpoint = await timed(section, 'sign', async () => {
      const row = await toCheckpointRow({ signer, clock: systemClock }, grown.edge);
      await db.updateTable('ledger_log').set({ size: to }).execute();
      await db.transaction().execute(tx => moveCheckpoint(tx, from, row));
      return row;
    });
    await removeTiles(
      objects,
      partialTiles(from).filter(({ level, index, width }) => tileWidthAt(level, index, to) !== width),
    );
    section.entries += leaves.length;
    section.tiles += tiles.length;
    section.bytes += tiles.reduce((sum, { bytes }) => sum + bytes.length, 0);
    section.peak = Math.max(section.peak, process.memoryUsage.rss() / MiB);
    edge = grown.edge;
    from = to;
    if (from < (size * (done.length + 1)) / sections) continue;
    done.push(section);
    roots.push({ size: to, root: parseHex(checkpoint.root) });
    section = newSection();
  }
  const newest = await findNewestCheckpoint(db);
  if (newest !== null) await noteNewest({ db, objects }, newest);
  return { sections: done, roots };
}

/** Milliseconds each. */
async function each(times: number, work: (nth: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let nth = 0; nth < times; nth += 1) await work(nth);
  return (performance.now() - started) / times;
}

type Log = { readonly world: World; readonly ledger: Ledger; readonly roots: readonly SizedRoot[] };

const readTile = async ({ ledger }: Log, path: string): Promise<Uint8Array> => {
  const tile = await ledger.tiles.find(path);
  if (tile === null) throw new Error(`${path} is not there`);
  return tile;
};

async function proveInclusion(log: Log): Promise<void> {
  const newest = log.roots.at(-1) as SizedRoot;
  const position = Math.floor(Math.random() * newest.size);
  const getNode = openNodes(path => readTile(log, path), newest.size);
  const path = await hashRanges(inclusionRanges(position, newest.size), getNode);
  if (!isIncluded(toLeaf(position), position, newest.size, path, newest.root))
    throw new Error(`entry ${position} is not proven`);
}

const proveGrowth = (log: Log, nth: number): Promise<void> =>
  proveConsistency(
    path => readTile(log, path),
    log.roots[nth % (log.roots.length - 1)] as SizedRoot,
    log.roots.at(-1) as SizedRoot,
  );

let next = 0;
const append = ({ ledger }: Log) => ledger.append(fileRecord(next++));

/** What one publication of so many entries asks of the object store. */
async function countCalls(log: Log, entries: number): Promise<Calls> {
  await log.ledger.publish();
  await Promise.all(Array.from({ length: entries }, () => append(log)));
  const before = { ...log.world.made };
  await log.ledger.publish();
  return Object.fromEntries(calls.map(call => [call, log.world.made[call] - before[call]])) as Calls;
}

const start = async ({ database: { db }, objects, key }: World): Promise<number> => {
  const started = performance.now();
  const ledger = await openTestLedger(db, objects, key);
  const took = performance.now() - started;
  await ledger[Symbol.asyncDispose]();
  return took;
};

function reportGrowth(done: readonly Section[]): void {
  const perSecond = (what: keyof Times) => done.map(section => section.entries / section[what]);
  const sum = (of: (section: Section) => number) => done.reduce((total, section) => total + of(section), 0);
  const [first, last] = [done[0] as Section, done.at(-1) as Section];
  const rate = ({ entries, grow, write, sign }: Section) => entries / (grow + write + sign);
  printFigures(`growth to ${count} entries, by tenths`, [
    {
      ...{ name: 'tree hashed, by processor time', unit: 'entries/s', samples: perSecond('grow') },
      references: { 'bare SHA-256 of as many nodes, by processor time': perSecond('bare') },
    },
    { name: 'tiles durable', unit: 'entries/s', samples: perSecond('write') },
    { name: 'checkpoint signed and stored', unit: 'ms', samples: done.map(s => (s.sign / s.entries) * perStep * 1000) },
    {
      ...{ name: 'last tenth, hashed and stored', unit: 'entries/s', samples: rate(last) },
      references: { 'first tenth': rate(first) },
    },
    { name: 'tiles written for 1,000 entries', unit: 'tiles', samples: (sum(s => s.tiles) / count) * 1000 },
    { name: 'bytes of tiles for an entry', unit: 'bytes', samples: sum(s => s.bytes) / count },
    { name: 'memory, last tenth', unit: 'MiB', samples: last.peak, references: { 'first tenth': first.peak } },
  ]);
}

const folder = await mkdtemp(join(base, 'recordproof-bench-'));
await using cleanUp = new AsyncDisposableStack();
cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
const { bavail, bsize } = await statfs(folder);
const neededBytes = (count / 255) * 12_288; // 8 KiB and a footer, in blocks of 4 KiB
if (bavail * bsize < 2 * neededBytes)
  throw new Error(`${base} needs ${(2 * neededBytes) / 1e9} GB of free space for ${count} entries`);

const large = await openWorld(join(folder, 'large'));
const small = await openWorld(join(folder, 'small'));
for (const { database } of [large, small]) cleanUp.defer(() => database.close());
const smallGrowth = await grow(small, smallCount);
const largeGrowth = await grow(large, count);
reportGrowth(largeGrowth.sections);

const starts = await inTurns(rounds, { small: () => start(small), large: () => start(large) });
const open = async (world: World, { roots }: { readonly roots: readonly SizedRoot[] }): Promise<Log> => {
  const ledger = await openTestLedger(world.database.db, world.objects, world.key);
  cleanUp.use(ledger);
  return { world, ledger, roots };
};
const few = await open(small, smallGrowth);
const many = await open(large, largeGrowth);
const compare = (work: (log: Log) => Promise<number>) =>
  inTurns(rounds, { small: () => work(few), large: () => work(many) });
const inclusion = await compare(log => each(proofs, () => proveInclusion(log)));
const consistency = await compare(log => each(proofs, nth => proveGrowth(log, nth)));
const readsBefore = many.world.made.get;
await each(proofs, () => proveInclusion(many));
const reads = (many.world.made.get - readsBefore) / proofs;
const appended = await compare(async log => {
  const ms = await each(1, () => Promise.all(Array.from({ length: appends }, () => append(log))));
  return (appends * 1000) / ms;
});
const published = await compare(async log => {
  await log.ledger.publish();
  await append(log);
  return each(1, () => log.ledger.publish());
});
const against = ({ small: samples }: { readonly small: readonly number[] }) => ({
  references: { [`the same on ${smallCount}`]: samples },
});
printFigures(`a ledger of ${count} entries`, [
  { name: 'start', unit: 'ms', samples: starts.large, ...against(starts) },
  { name: 'inclusion proof from verified tiles', unit: 'ms', samples: inclusion.large, ...against(inclusion) },
  { name: 'consistency proof from verified tiles', unit: 'ms', samples: consistency.large, ...against(consistency) },
  { name: 'objects read for an inclusion proof', unit: 'objects', samples: reads },
  { name: `appends, ${appends} at once`, unit: 'entries/s', samples: appended.large, ...against(appended) },
  { name: 'publication of one entry', unit: 'ms', samples: published.large, ...against(published) },
]);
for (const entries of [1, 4096]) {
  const made = await countCalls(many, entries);
  printFigures(
    `calls to the object store for a publication of ${entries} entries`,
    calls.map(call => ({ name: call, unit: 'calls', samples: made[call] })),
  );
}
