// Selection of the checkpoint for the evidence of an entry: the earliest one that covers the entry and has every
// configured kind of voucher, else the one with the most kinds.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { Db, Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import { type CheckpointRow, findCheckpoint, findNewestCheckpoint } from '../chain/index.ts';
import type { VoucherKind } from './migrations.ts';
import { findEarliestMeeting, findMostVouchedSize, type Requirement } from './queries.ts';

export type Choosing = Pick<Server, 'database' | 'clock'> & {
  readonly config: { readonly ledger: Pick<Server['config']['ledger'], 'quorum'> };
  readonly targets: readonly { readonly kind: VoucherKind; readonly name: string }[];
};

type ChosenCheckpoint = {
  readonly checkpoint: CheckpointRow;
  /** Configured kinds that this checkpoint does not have (yet). */
  readonly missing: readonly VoucherKind[];
};

/** How long an entry waits for its quorum before it is shown with the available vouchers. */
export const quorumWaitMs = 60_000;
/** Vouchers of several kinds cover the same checkpoints, so that one or two rounds suffice. */
const mostRounds = 16;

function listRequirements({ config, targets }: Pick<Choosing, 'config' | 'targets'>): Requirement[] {
  const { quorum } = config.ledger;
  const witnesses = targets.filter(({ kind }) => kind === 'WITNESS').map(({ name }) => name);
  const others = (['RFC3161', 'OTS'] as const).filter(kind => targets.some(target => target.kind === kind));
  return [
    ...(quorum > 0 ? [{ kind: 'WITNESS', targets: witnesses, count: quorum } as const] : []),
    ...others.map(kind => ({ kind, count: 1 })),
  ];
}

/**
 * Rejects with CONFLICT while no checkpoint covers the entry, and while the entry waits for its quorum. With `fromSize`
 * only later checkpoints are used: their vouchers cover the entry too, if earlier ones are no longer trusted.
 */
export async function chooseCheckpoint(
  choosing: Choosing,
  { position, recorded_at }: { readonly position: number; readonly recorded_at: Time },
  fromSize = 0,
): Promise<ChosenCheckpoint> {
  const { db } = choosing.database;
  const start = Math.max(position + 1, fromSize);
  const newest = await findNewestCheckpoint(db);
  if (newest === null || newest.size < start) throw notYet('no checkpoint covers the entry of this proof yet', 1);
  const required = listRequirements(choosing);
  const isWaiting = choosing.clock.now() - recorded_at < quorumWaitMs;
  for (const some of listSubsets(required)) {
    if (isWaiting && required[0]?.kind === 'WITNESS' && some[0]?.kind !== 'WITNESS') continue;
    const size = await findMeetingAll(db, some, start);
    const checkpoint = size === null ? null : await findCheckpoint(db, size);
    if (checkpoint === null) continue;
    return { checkpoint, missing: required.filter(one => !some.includes(one)).map(({ kind }) => kind) };
  }
  const [witnessed] = required;
  const missing = required.map(({ kind }) => kind);
  if (witnessed?.kind !== 'WITNESS') return { checkpoint: newest, missing };
  if (isWaiting) throw notYet('too few witnesses have cosigned the entry so far', 2);
  const most = await findMostVouchedSize(db, 'WITNESS', witnessed.targets ?? [], start);
  return { checkpoint: (most === null ? null : await findCheckpoint(db, most)) ?? newest, missing };
}

const notYet = (what: string, retryAfterSeconds: number): ApiError =>
  new ApiError('CONFLICT', `${what}; try again later`, { retryAfterSeconds });

/** All non-empty subsets, largest first, each in the given order. */
function listSubsets<T>(items: readonly T[]): T[][] {
  const all = Array.from({ length: 2 ** items.length - 1 }, (_, at) => items.filter((_, bit) => ((at + 1) >> bit) & 1));
  return all.toSorted((a, b) => b.length - a.length);
}

/** The size of the earliest checkpoint from `fromSize` on that meets every requirement. */
async function findMeetingAll(db: Db, required: readonly Requirement[], fromSize: number): Promise<number | null> {
  let size = fromSize;
  for (let round = 0; round < mostRounds; round++) {
    const start = size;
    for (const one of required) {
      const next = await findEarliestMeeting(db, one, size);
      if (next === null) return null;
      size = next;
    }
    // Each starts at the size found by the previous one.
    if (size === start) return size;
  }
  return null;
}
