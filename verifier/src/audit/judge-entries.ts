// Judges the entries of a ledger one after the other: their form, their times, and what each says about earlier ones.
// Memory grows with the number of batches and proofs, not with the bytes that are read.
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import {
  type LedgerEntry,
  ledgerEntrySchema,
  parseLedgerEntry,
  recordedAtOf,
  TimeOrder,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { parseStrictJson } from '@recordproof/shared/evidence/strict-json.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import type { Findings } from './audit-report.ts';

/** What somebody else says about a checkpoint: all entries before this size were there at this time. */
export type VouchedTime = {
  readonly size: number;
  readonly timeMs: number;
  readonly by: string;
  /** Entries behind it were not there yet, as far as the witnesses saw. */
  readonly isNewest: boolean;
};

export type SeenBatch = {
  readonly batchNo: string;
  readonly merkleRoot: string;
  readonly transactionHash: string;
  readonly position: number;
};

/** Clocks of honest parties differ by less. */
const clockToleranceMs = 60_000;
/** An honest ledger shows its witnesses an entry within this time. */
const showingToleranceMs = 300_000;

export class EntryJudge {
  readonly counts: Record<string, number> = {};
  firstMs: number | undefined;
  lastMs: number | undefined;
  readonly #findings: Findings;
  readonly #vouched: readonly VouchedTime[];
  readonly #nowMs: number;
  readonly #order = new TimeOrder();
  #latestPosition = 0;
  readonly #batches = new Map<string, number>();
  readonly #proofs = new Map<string, { position: number; manifestSha256: string }>();
  readonly #sample: BatchSample;

  constructor(
    findings: Findings,
    vouched: readonly VouchedTime[],
    { nowMs, sample }: { nowMs: number; sample: number },
  ) {
    this.#findings = findings;
    this.#vouched = vouched;
    this.#nowMs = nowMs;
    this.#sample = new BatchSample(sample);
  }

  get batches(): readonly SeenBatch[] {
    return this.#sample.list;
  }

  add(bytes: Uint8Array, position: number): void {
    this.#judgeTime(recordedAtOf(bytes), position);
    const entry = readEntry(bytes);
    const kind = typeof entry === 'string' ? 'UNKNOWN' : entry.kind;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    if (entry === 'MALFORMED') this.#findings.add('ENTRY_MALFORMED', { position }, [position]);
    else if (entry === 'UNKNOWN_KIND') this.#findings.add('ENTRY_UNKNOWN_KIND', { position }, [position]);
    else this.#judgeSubject(entry, bytes, position);
  }

  #judgeTime(timeMs: number | undefined, position: number): void {
    if (timeMs === undefined) return;
    const time = toTime(timeMs);
    const latest = this.#order.latest;
    if (!this.#order.add(position, timeMs)) {
      const facts = { position, time, earlier: this.#latestPosition, earlierTime: toTime(latest) };
      this.#findings.add('TIME_WENT_BACK', facts, [this.#latestPosition, position]);
    }
    if (timeMs > latest) this.#latestPosition = position;
    if (timeMs > this.#nowMs + clockToleranceMs) this.#findings.add('TIME_IN_FUTURE', { position, time }, [position]);
    this.firstMs ??= timeMs;
    this.lastMs = Math.max(this.lastMs ?? timeMs, timeMs);
    for (const vouched of this.#vouched) this.#compare(vouched, timeMs, position);
  }

  #compare({ size, timeMs: vouchedMs, by, isNewest }: VouchedTime, timeMs: number, position: number): void {
    const facts = { position, time: toTime(timeMs), by, vouchedTime: toTime(vouchedMs) };
    if (position < size && timeMs > vouchedMs + clockToleranceMs)
      this.#findings.add('TIME_AFTER_VOUCHER', facts, [position]);
    if (position >= size && isNewest && timeMs < vouchedMs - showingToleranceMs)
      this.#findings.add('TIME_BEFORE_WITNESS', facts, [position]);
  }

  #judgeSubject(entry: LedgerEntry, bytes: Uint8Array, position: number): void {
    if (entry.kind === 'BATCH_ROOT') {
      const { batchNo, merkleRoot } = entry;
      const first = this.#batches.get(batchNo);
      if (first === undefined) this.#batches.set(batchNo, position);
      else this.#findings.add('BATCH_TWICE', { batchNo, position, earlier: first }, [first, position]);
      this.#sample.add({ batchNo, merkleRoot, transactionHash: `0x${toHex(hashLeaf(bytes, sha256))}`, position });
    } else if (entry.kind === 'PROOF_ISSUED') {
      const { proofId, manifestSha256 } = entry;
      const first = this.#proofs.get(proofId);
      if (first === undefined) this.#proofs.set(proofId, { position, manifestSha256 });
      else
        this.#findings.add('PROOF_TWICE', { proofId, position, earlier: first.position }, [first.position, position]);
    }
  }
}

const toTime = (timeMs: number): string => new Date(timeMs).toISOString();

function readEntry(bytes: Uint8Array): LedgerEntry | 'MALFORMED' | 'UNKNOWN_KIND' {
  try {
    return parseLedgerEntry(bytes);
  } catch {
    return isOfUnknownKind(bytes) ? 'UNKNOWN_KIND' : 'MALFORMED';
  }
}

const knownKinds: readonly string[] = ['FILE_RECORD', 'BATCH_ROOT', 'PROOF_ISSUED'] satisfies LedgerEntry['kind'][];

/** Of a later release: a newer verifier may know it. */
function isOfUnknownKind(bytes: Uint8Array): boolean {
  try {
    const value = parseStrictJson(bytes, { maxBytes: 4096, maxDepth: 2 });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const { schema, kind } = value as { schema?: unknown; kind?: unknown };
    return schema === ledgerEntrySchema && typeof kind === 'string' && !knownKinds.includes(kind);
  } catch {
    return false;
  }
}

/** The newest batches, and others at random so that an operator cannot know which are asked for. */
class BatchSample {
  readonly #newest: SeenBatch[] = [];
  readonly #random: SeenBatch[] = [];
  readonly #half: number;
  #passed = 0;

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get list(): readonly SeenBatch[] {
    return [...this.#random, ...this.#newest];
  }

  add(batch: SeenBatch): void {
    if (this.#half === 0) return;
    this.#newest.push(batch);
    const passed = this.#newest.length > this.#half ? this.#newest.shift() : undefined;
    if (passed === undefined) return;
    this.#passed++;
    if (this.#random.length < this.#half) this.#random.push(passed);
    else {
      const at = Math.floor(Math.random() * this.#passed);
      if (at < this.#half) this.#random[at] = passed;
    }
  }
}
