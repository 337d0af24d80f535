// 100,000 appends with kill -9 in between, checked by an independent implementation.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrations } from '@recordproof/server/compose/features.ts';
import { verifyLedger } from '@recordproof/server/features/chain/index.ts';
import { listEntriesAbout } from '@recordproof/server/features/chain/ledger/queries.ts';
import { PublishedTiles } from '@recordproof/server/features/chain/ledger/read-ledger.ts';
import { expect, test } from 'vitest';
import { startChild } from '../support/child.ts';
import type { LedgerInput, LedgerWord } from '../support/children/ledger.ts';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { bundlesOf, entriesOf, IndependentTree, openNote, tilesOf } from '../support/independent-log.ts';
import { fileRecord, newLedgerKey, openTestLedger, openTestStore, readCheckpointNote } from '../support/ledgers.ts';

const rounds = { sqlite: 200, postgres: 40 };
const appends = { sqlite: 100_000, postgres: 20_000 };

type Folder = Disposable & { readonly store: string; readonly keyFile: string; readonly key: string };

function newFolder(): Folder {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-ledger-'));
  const [key, keyFile] = [newLedgerKey(), join(folder, 'ledger.key')];
  writeFileSync(keyFile, key);
  return {
    store: join(folder, 'store'),
    keyFile,
    key,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Knows the log only from published data and from the servers' acknowledgements. */
class Watcher {
  readonly tree = new IndependentTree();
  readonly acknowledged = new Map<number, number>();
  readonly notes: string[] = [];
  /** Root by size, of every size read so far. */
  readonly #roots = new Map<number, string>();

  hear(word: LedgerWord): void {
    if (word.kind === 'appended')
      for (const [number, position] of word.records) this.acknowledged.set(number, position);
    if (word.kind === 'published') this.notes.push(word.note);
  }

  /** Checks that the current log continues every earlier state. */
  async check({ db }: TestDatabase, { store, key }: Folder): Promise<void> {
    await using objects = await openTestStore(store);
    const { verifierKey } = await readingLedger(db, objects, key);
    const source = { db, objects };
    const newest = openNote(await readCheckpointNote(source), verifierKey);
    expect(newest.size).toBeGreaterThanOrEqual(this.tree.leaves.length);
    for (const { path, skip } of bundlesOf(this.tree.leaves.length, newest.size)) {
      const bundle = await new PublishedTiles(source).find(path);
      if (bundle === null) throw new Error(`${path} is missing`);
      for (const entry of entriesOf(bundle).slice(skip)) {
        this.tree.add(entry);
        this.#roots.set(this.tree.leaves.length, this.tree.root());
      }
    }
    expect(this.tree.root()).toBe(newest.root);
    for (const { size, root } of this.notes.splice(0).map(note => openNote(note, verifierKey)))
      if (size > 0) expect(root, `checkpoint of ${size}`).toBe(this.#roots.get(size));
    await this.#checkAcknowledged(db);
  }

  async #checkAcknowledged(db: TestDatabase['db']): Promise<void> {
    const numbers = [...this.acknowledged.keys()];
    for (let at = 0; at < numbers.length; at += 500) {
      const part = numbers.slice(at, at + 500);
      const rows = await listEntriesAbout(
        db,
        'FILE_RECORD',
        part.map(number => fileRecord(number).recordId),
      );
      const positions = new Map(rows.map(row => [row.subject, row.position]));
      for (const number of part) expect(positions.get(fileRecord(number).recordId)).toBe(this.acknowledged.get(number));
    }
    this.acknowledged.clear();
  }
}

async function readingLedger(db: TestDatabase['db'], objects: Awaited<ReturnType<typeof openTestStore>>, key: string) {
  await using ledger = await openTestLedger(db, objects, key);
  return { verifierKey: ledger.verifierKey, key: ledger.key };
}

/** Runs one server; killed after that many milliseconds of work, or not at all. */
async function runServer(input: LedgerInput, watcher: Watcher, killAfterMs?: number): Promise<void> {
  const child = startChild('ledger.ts', input);
  const listen = async (): Promise<void> => {
    for (;;) {
      const word = await child.next().catch(() => null);
      if (word === null) return;
      watcher.hear(word as LedgerWord);
    }
  };
  expect(await child.next()).toEqual({ kind: 'ready' });
  const listening = listen();
  if (killAfterMs !== undefined) {
    await Promise.race([delay(killAfterMs), child.ended]);
    await child.kill();
  } else expect(await child.ended).toBe(0);
  await listening;
}

eachDatabase((engine, open) => {
  test(`a log of ${appends[engine]} entries stays consistent over ${rounds[engine]} kills`, async () => {
    using folder = newFolder();
    const database = await open(migrations);
    const watcher = new Watcher();
    const input = {
      address: database.address,
      folder: folder.store,
      keyFile: folder.keyFile,
      until: Number.MAX_SAFE_INTEGER,
    };
    const servers = engine === 'sqlite' ? 1 : 2;
    for (let round = 0; round < rounds[engine]; round++) {
      const running = Array.from({ length: servers }, (_, server) =>
        runServer(
          { ...input, first: (round * servers + server) * 1_000_000, lanes: 1 + Math.floor(Math.random() * 60) },
          watcher,
          Math.random() * 250,
        ),
      );
      await Promise.all(running);
      await watcher.check(database, folder);
    }
    await runServer({ ...input, first: 1e12, lanes: 500, until: appends[engine] }, watcher);
    await watcher.check(database, folder);
    expect(watcher.tree.leaves.length).toBeGreaterThanOrEqual(appends[engine]);

    await using objects = await openTestStore(folder.store);
    for (const [path, hex] of tilesOf(watcher.tree.leaves)) {
      const tile = await new PublishedTiles({ db: database.db, objects }).find(path);
      expect(Buffer.from(tile ?? []).toString('hex'), path).toBe(hex);
    }
    const { key } = await readingLedger(database.db, objects, folder.key);
    const report = await verifyLedger({ db: database.db, objects, key });
    expect(report).toMatchObject({ size: watcher.tree.leaves.length, publishedSize: report.size, problems: [] });
  });
});
