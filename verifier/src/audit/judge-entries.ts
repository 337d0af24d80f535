// Checks on ledger entries, one after the other: form, times, and consistency with earlier entries. Keeps only about 20
// bytes per subject (seen-subjects.ts).
import {
  type EntryOf,
  entryTransactionHash,
  type LedgerEntry,
  ledgerEntryKinds,
  ledgerEntrySchema,
  parseLedgerEntry,
  recordedAtOf,
  TimeOrder,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { parseStrictJson } from '@recordproof/shared/evidence/strict-json.ts';
import type { AuditCode, Findings } from './audit-report.ts';
import { ProofJudge } from './judge-proofs.ts';
import { SeenSubjects } from './seen-subjects.ts';
import { StrictestTimes, type VouchedTime } from './strictest-times.ts';

export type SeenBatch = {
  readonly batchNo: string;
  readonly merkleRoot: string;
  readonly transactionHash: string;
  readonly position: number;
};

/** The clocks of honest parties differ by less. */
const clockToleranceMs = 60_000;
/** An honest ledger shows its witnesses an entry within this time. */
const showingToleranceMs = 300_000;

export class EntryJudge {
  readonly counts: Record<string, number> = {};
  readonly proofs: ProofJudge;
  firstMs: number | undefined;
  lastMs: number | undefined;
  readonly #findings: Findings;
  readonly #vouched: StrictestTimes;
  readonly #nowMs: number;
  readonly #order = new TimeOrder();
  #latestPosition = 0;
  readonly #seen = new SeenSubjects();
  readonly #sample: Sample<SeenBatch>;

  constructor(
    findings: Findings,
    vouched: readonly VouchedTime[],
    { nowMs, sample, named = [] }: { nowMs: number; sample: number; named?: readonly string[] },
  ) {
    this.#findings = findings;
    this.#vouched = new StrictestTimes(vouched);
    this.#nowMs = nowMs;
    this.#sample = new Sample(sample);
    this.proofs = new ProofJudge(findings, named, this.#seen);
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
    const { covering, before } = this.#vouched.at(position);
    const tell = (code: AuditCode, { by, timeMs: vouchedMs }: VouchedTime) =>
      this.#findings.add(code, { position, time, by, vouchedTime: toTime(vouchedMs) }, [position]);
    if (covering !== undefined && timeMs > covering.timeMs + clockToleranceMs) tell('TIME_AFTER_VOUCHER', covering);
    if (before !== undefined && timeMs < before.timeMs - showingToleranceMs) tell('TIME_BEFORE_WITNESS', before);
  }

  #judgeSubject(entry: LedgerEntry, bytes: Uint8Array, position: number): void {
    if (entry.kind === 'BATCH_ROOT') this.#judgeBatch(entry, bytes, position);
    else if (entry.kind === 'FILE_RECORD') this.#judgeRecord(entry, position);
    else this.proofs.add(entry, position);
  }

  #judgeRecord({ recordId }: EntryOf<'FILE_RECORD'>, position: number): void {
    const first = this.#seen.find('FILE_RECORD', recordId)?.position;
    if (first === undefined) this.#seen.set('FILE_RECORD', recordId, position);
    else this.#findings.add('RECORD_TWICE', { recordId, position, earlier: first }, [first, position]);
  }

  #judgeBatch({ batchNo, merkleRoot }: EntryOf<'BATCH_ROOT'>, bytes: Uint8Array, position: number): void {
    const first = this.#seen.find('BATCH_ROOT', batchNo)?.position;
    if (first === undefined) {
      this.#seen.set('BATCH_ROOT', batchNo, position);
      this.#sample.add({ batchNo, merkleRoot, transactionHash: entryTransactionHash(bytes), position });
    } else this.#findings.add('BATCH_TWICE', { batchNo, position, earlier: first }, [first, position]);
  }
}

/** The newest items of a stream, and others chosen at random, unpredictably. */
class Sample<Item> {
  readonly #newest: Item[] = [];
  readonly #random: Item[] = [];
  readonly #half: number;
  #passed = 0;

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get list(): readonly Item[] {
    return [...this.#random, ...this.#newest];
  }

  add(item: Item): void {
    if (this.#half === 0) return;
    this.#newest.push(item);
    const passed = this.#newest.length > this.#half ? this.#newest.shift() : undefined;
    if (passed === undefined) return;
    this.#passed++;
    const at = this.#random.length < this.#half ? this.#random.length : Math.floor(Math.random() * this.#passed);
    if (at < this.#half) this.#random[at] = passed;
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

/** Of a later release: a newer verifier may know it. */
function isOfUnknownKind(bytes: Uint8Array): boolean {
  try {
    const value = parseStrictJson(bytes, { maxBytes: 4096, maxDepth: 2 });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const { schema, kind } = value as { schema?: unknown; kind?: unknown };
    return schema === ledgerEntrySchema && typeof kind === 'string' && !ledgerEntryKinds.some(known => known === kind);
  } catch {
    return false;
  }
}
