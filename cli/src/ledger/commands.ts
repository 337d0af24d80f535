// Commands under `ledger`.
import { setTimeout as sleep } from 'node:timers/promises';
import { integer, string } from '@oclif/core/flags';
import { TransportError } from '@recordproof/shared/api/client.ts';
import {
  type LedgerEntry,
  parseLedgerEntry,
  recordedAtOf,
  subjectOf,
  TimeOrder,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { LogContradiction, LogFollower } from '@recordproof/shared/evidence/log-reader.ts';
import { command } from '../platform/command.ts';
import { CommandError } from '../platform/command-error.ts';
import { isOutage } from '../platform/dashboard/follow.ts';
import { toFailure } from '../platform/failure.ts';
import { writeData, writeMessage } from '../platform/output.ts';
import { alignRows } from '../platform/table.ts';
import {
  type CheckpointMonitor,
  type CheckpointStatus,
  compareWith,
  openCheckpointMonitor,
  reading,
  rejectTimesThatGoBack,
} from './checkpoint-monitor.ts';

const keyFlag = {
  key: string({
    helpValue: '<key>',
    summary: 'Verifier key of the ledger, from a source you trust. Otherwise the first one seen counts.',
  }),
};

export const checkpoint = command({
  summary: 'Show the newest checkpoint of the ledger',
  description: 'It must be signed, and must continue the last one that this machine has seen. Then it is remembered.',
  examples: [
    { command: 'ledger checkpoint', description: 'How far is the ledger, and is it still the same one?' },
    { command: 'ledger checkpoint --json', description: 'The same for a script' },
  ],
  flags: keyFlag,
  run: async ({ flags, context }): Promise<CheckpointStatus> =>
    (await (await openCheckpointMonitor(context, flags.key)).fetchCheckpoint()).status,
  text: ({ name, size, root, key }) =>
    alignRows([
      ['ledger', name],
      ['entries', String(size)],
      ['root', root],
      ['key', key],
    ]),
  note: ({ added }) =>
    added === null
      ? 'first check: saved, so that the next check detects a rewritten ledger'
      : `continues what was seen before: ${added} ${added === 1 ? 'entry' : 'entries'} more`,
});

const kinds = {
  FILE_RECORD: 'file records',
  BATCH_ROOT: 'batch roots',
  PROOF_ISSUED: 'proofs issued',
  PROOF_STATUS: 'status changes',
  SIGNING_KEY: 'key changes',
  AUDIT_HEAD: 'audit log heads',
  RECEIPT_ISSUED: 'receipts of drop links',
  UNKNOWN: 'of other kinds',
} as const satisfies Record<LedgerEntry['kind'] | 'UNKNOWN', string>;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as Kind[];

/** `subjects`: at most one entry each (docs/spec/ledger.md section 2). */
type Seen = { readonly kind: Kind; readonly subjects: readonly string[] };

function toSeen(bytes: Uint8Array): Seen {
  try {
    const entry = parseLedgerEntry(bytes);
    const own = subjectOf(entry);
    return { kind: entry.kind, subjects: entry.kind === 'PROOF_ISSUED' ? [own, entry.proofIdSha256] : [own] };
  } catch {
    return { kind: 'UNKNOWN', subjects: [] };
  }
}

function rejectDuplicates(entries: readonly Seen[]): void {
  const names = new Set<string>();
  for (const { kind, subjects } of entries)
    for (const subject of subjects) {
      const name = `${kind} ${subject}`;
      if (names.has(name)) throw new LogContradiction(`the ledger holds ${subject} twice (${kind})`);
      names.add(name);
    }
}

export const verify = command({
  summary: 'Read the whole ledger and recompute it',
  description: 'Every entry is fetched and hashed; together they must have the root of the signed checkpoint.',
  examples: [{ command: 'ledger verify', description: 'Check every entry of the public ledger' }],
  flags: keyFlag,
  async run({ flags, context }) {
    const monitor = await openCheckpointMonitor(context, flags.key);
    const { status, checkpoint } = await monitor.fetchCheckpoint();
    const order = new TimeOrder();
    const entries = await reading(monitor.server, async () => {
      const seen = await new LogFollower(monitor.log.readTile).follow(checkpoint, (entry, position) => {
        order.add(position, recordedAtOf(entry));
        return toSeen(entry);
      });
      rejectDuplicates(seen);
      return seen;
    });
    rejectTimesThatGoBack(order.steps);
    const counts = new Map(kindNames.map(kind => [kind, 0]));
    for (const { kind } of entries) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const count = (kind: Kind): number => counts.get(kind) ?? 0;
    const [fileRecords, batchRoots, unknown] = [count('FILE_RECORD'), count('BATCH_ROOT'), count('UNKNOWN')];
    return { ...status, fileRecords, batchRoots, unknown, entriesByKind: Object.fromEntries(counts) };
  },
  text: ({ name, size, root, entriesByKind }) =>
    alignRows([
      ['ledger', name],
      ['entries', String(size)],
      ...kindNames.flatMap(kind => (entriesByKind[kind] ? [[kinds[kind], String(entriesByKind[kind])]] : [])),
      ['root', root],
    ]),
  note: () => 'every entry lies under the signed checkpoint',
});

/** An outage is reported and waited out; a contradiction ends the watch, as does a certificate that is not trusted. */
async function checkOrReport(monitor: CheckpointMonitor): Promise<CheckpointStatus | null> {
  try {
    return (await monitor.fetchCheckpoint()).status;
  } catch (error) {
    const isUntrusted = error instanceof TransportError && error.failure === 'untrusted';
    if (isUntrusted || !isOutage(error)) throw error;
    writeMessage(toFailure(error, 'recordproof ledger watch').message);
    return null;
  }
}

/** A scheduled run that never reached the ledger must not report success. */
function expectChecked(count: number, last: CheckpointStatus | null) {
  if (last !== null) return { looks: count, last };
  throw new CommandError('unreachable', 'no checkpoint was checked: the ledger could not be read', {
    try: 'check that the server is running and serves its ledger',
  });
}

export const watch = command({
  summary: 'Watch the ledger, and end with an error when it contradicts itself',
  description:
    'Prints a line for every new checkpoint: time, entries, root. Each must prove that it continues the one before; the last one is remembered for the next watch. Ctrl-C ends it.',
  examples: [
    { command: 'ledger watch', description: 'Detect a rewritten ledger' },
    {
      command: 'ledger watch --count 1',
      description: 'One check, for a timer job; exit code 65 means rewritten, 69 not checked',
    },
    {
      command: 'ledger watch --compare THEIRS.checkpoints',
      description: 'Compare with what another person was shown',
    },
  ],
  flags: {
    ...keyFlag,
    every: integer({ helpValue: '<seconds>', min: 1, max: 86_400, default: 60, summary: 'Time between two checks.' }),
    count: integer({ helpValue: '<n>', min: 1, aliases: ['looks'], summary: 'End after this many checks.' }),
    compare: string({
      helpValue: '<file>',
      summary: 'Compare with the checkpoints that another person kept, and end.',
      exclusive: ['count', 'every'],
    }),
  },
  async run({ flags, context }) {
    if (flags.compare !== undefined) return compareWith(context, flags.compare, flags.key);
    const monitor = await openCheckpointMonitor(context, flags.key);
    writeMessage(`each checkpoint that is seen is kept in ${monitor.kept}`);
    let last: CheckpointStatus | null = null;
    for (let round = 1; ; round++) {
      const seen = await checkOrReport(monitor);
      if (seen && seen.size !== last?.size && !flags.json)
        writeData(`${new Date().toISOString()}  ${seen.size}  ${seen.root}`);
      last = seen ?? last;
      if (round === flags.count) return { ...expectChecked(round, last), kept: monitor.kept };
      await sleep(flags.every * 1000);
    }
  },
});
