import { parseLedgerEntry, recordedAtOf, TimeOrder } from '@recordproof/shared/evidence/ledger-entry.ts';
import { LogContradiction, LogFollower } from '@recordproof/shared/evidence/log-reader.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import { command } from '../../platform/command.ts';
import { alignRows } from '../../platform/table.ts';
import { keyFlag } from '../key-flag.ts';
import { openWitness, reading, refuseSteps } from '../witness.ts';

type Seen = { readonly kind: string; readonly batchNo?: string };

function toSeen(bytes: Uint8Array): Seen {
  try {
    const entry = parseLedgerEntry(bytes);
    return entry.kind === 'BATCH_ROOT' ? { kind: entry.kind, batchNo: entry.batchNo } : { kind: entry.kind };
  } catch {
    return { kind: 'UNKNOWN' };
  }
}

function refuseDoubles(entries: readonly Seen[]): void {
  const batches = new Set<string>();
  for (const { batchNo } of entries) {
    if (batchNo === undefined) continue;
    if (batches.has(batchNo)) throw new LogContradiction(`the ledger holds ${batchNo} twice`);
    batches.add(batchNo);
  }
}

export default command({
  summary: 'Read the whole ledger and recompute it',
  description: 'Every entry is fetched and hashed; together they must have the root of the signed checkpoint.',
  examples: [{ command: 'ledger verify', description: 'Check everything that anybody can check' }],
  flags: keyFlag,
  async run({ flags, context }) {
    const witness = await openWitness(context, flags.key);
    const { sighting, checkpoint } = await witness.look();
    const order = new TimeOrder();
    const entries = await reading(witness.server, async () => {
      const seen = await new LogFollower(witness.log.readTile, sha256).follow(checkpoint, (entry, position) => {
        order.add(position, recordedAtOf(entry));
        return toSeen(entry);
      });
      refuseDoubles(seen);
      return seen;
    });
    refuseSteps(order.steps);
    const count = (kind: string): number => entries.filter(entry => entry.kind === kind).length;
    const { fileRecords, batchRoots } = { fileRecords: count('FILE_RECORD'), batchRoots: count('BATCH_ROOT') };
    return { ...sighting, fileRecords, batchRoots, unknown: entries.length - fileRecords - batchRoots };
  },
  text: ({ name, size, root, fileRecords, batchRoots, unknown }) =>
    alignRows([
      ['ledger', name],
      ['entries', String(size)],
      ['file records', String(fileRecords)],
      ['batch roots', String(batchRoots)],
      ...(unknown > 0 ? [['of other kinds', String(unknown)]] : []),
      ['root', root],
    ]),
  note: () => 'every entry lies under the signed checkpoint',
});
