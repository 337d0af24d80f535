// A ledger at an address of its own, which a test may replace by another one: a log is rewritten that way.

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '@recordproof/server/compose/features.ts';
import type { Ledger } from '@recordproof/server/features/chain/index.ts';
import type { Clock } from '@recordproof/server/platform/clock.ts';
import { migrate } from '@recordproof/server/platform/db/migrate.ts';
import { openTestDatabase } from './database-address.ts';
import { newLedgerKey, openTestLedger, openTestStore, readCheckpointNote } from './ledgers.ts';

export type OwnLedger = AsyncDisposable & { readonly ledger: Ledger };

/** A ledger in a folder of its own. */
export async function openOwnLedger(key: string, clock?: Clock): Promise<OwnLedger> {
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'recordproof-ledger-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const { db, kind, close } = await openTestDatabase({ kind: 'sqlite', at: join(folder, 'ledger.db') });
  opening.defer(close);
  await migrate(db, kind, migrations, 0);
  const ledger = opening.use(await openTestLedger(db, await openTestStore(join(folder, 'objects')), key, clock));
  const opened = opening.move();
  return { ledger, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export type LedgerSite = AsyncDisposable & {
  /** Of the server; the ledger is under `/ledger`. */
  readonly url: string;
  readonly key: string;
  shown: Ledger;
  isDown: boolean;
  /** Only the checkpoint is published, and no tiles. */
  withholdsTiles: boolean;
  /** Replacement content by path. */
  readonly lies: Map<string, Uint8Array>;
  readonly asked: string[];
};

export async function openLedgerSite(): Promise<LedgerSite> {
  await using opening = new AsyncDisposableStack();
  const key = newLedgerKey();
  const { ledger } = opening.use(await openOwnLedger(key));
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace(/^\/ledger\//, '');
    site.asked.push(path);
    const isGone = site.isDown || (site.withholdsTiles && path.startsWith('tile/'));
    const body = isGone ? null : (site.lies.get(path) ?? (await read(site.shown, path)));
    response.writeHead(site.isDown ? 503 : body === null ? 404 : 200).end(body ?? '');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  opening.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const opened = opening.move();
  const site: LedgerSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    shown: ledger,
    isDown: false,
    withholdsTiles: false,
    lies: new Map(),
    asked: [],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  return site;
}

async function read(ledger: Ledger, path: string): Promise<Uint8Array | string | null> {
  if (path === 'checkpoint') return readCheckpointNote(ledger);
  if (path === 'key') return `${ledger.verifierKey}\n`;
  return ledger.tiles.find(path);
}
