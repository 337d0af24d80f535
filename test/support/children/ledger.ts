// A server that appends continuously, `lanes` at a time, and reports acknowledged and published entries.
import { readFileSync } from 'node:fs';
import { getLog } from '@recordproof/server/features/chain/ledger/queries.ts';
import { childInput, tell } from '../child.ts';
import { openTestDatabase, type TestDatabaseAddress } from '../database-address.ts';
import { fileRecord, openTestLedger, openTestStore, readCheckpointNote } from '../ledgers.ts';

export type LedgerInput = {
  readonly address: TestDatabaseAddress;
  readonly folder: string;
  readonly keyFile: string;
  /** Number of the first entry; later ones count up. */
  readonly first: number;
  readonly lanes: number;
  /** Ends by itself when the log has this size. */
  readonly until: number;
};

export type LedgerWord =
  | { readonly kind: 'ready' }
  | { readonly kind: 'appended'; readonly records: readonly (readonly [number: number, position: number])[] }
  | { readonly kind: 'published'; readonly note: string };

const say = (word: LedgerWord): void => tell(word);

const { address, folder, keyFile, first, lanes, until } = childInput<LedgerInput>();
const { db, close } = await openTestDatabase(address);
const objects = await openTestStore(folder);
const ledger = await openTestLedger(db, objects, readFileSync(keyFile, 'utf8'));
say({ kind: 'ready' });

let next = first;
let isDone = false;

async function append(): Promise<void> {
  while (!isDone) {
    const numbers = Array.from({ length: lanes }, () => next++);
    const rows = await Promise.all(numbers.map(number => ledger.append(fileRecord(number))));
    say({ kind: 'appended', records: rows.map((row, i) => [numbers[i] ?? -1, row.position] as const) });
    isDone ||= (await getLog(db)).size >= until;
  }
}

async function publish(): Promise<void> {
  do {
    await ledger.publish();
    say({ kind: 'published', note: await readCheckpointNote(ledger) });
  } while (!isDone);
}

await Promise.all([append(), publish()]);
await ledger.publish();
say({ kind: 'published', note: await readCheckpointNote(ledger) });
await ledger[Symbol.asyncDispose]();
await close();
process.disconnect?.();
