// The audit of a ledger, in order: key, newest checkpoint, consistency with kept ones, cosignatures and time stamps,
// entries, and the server's answers.
import { BoundedMap } from '@recordproof/shared/bounded-map.ts';
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { LogUnavailable } from '@recordproof/shared/evidence/log-over-http.ts';
import {
  LogContradiction,
  LogFollower,
  proveConsistency,
  type ReadTile,
} from '@recordproof/shared/evidence/log-reader.ts';
import { toVerifierKey } from '@recordproof/shared/evidence/signed-note.ts';
import type { TlogPolicy } from '@recordproof/shared/evidence/tlog-policy.ts';
import type { Certificate } from '@recordproof/shared/evidence/x509.ts';
import { verifierVersion } from '../version.ts';
import type { AuditOptions } from './audit-options.ts';
import { type AuditReport, auditSchema, Findings } from './audit-report.ts';
import type { AuditSource } from './audit-source.ts';
import { describeAudit } from './audit-words.ts';
import { type CheckpointNote, parseServerStamps, type StampedCheckpoint } from './checkpoint-notes.ts';
import { compareAnswers } from './compare-answers.ts';
import { writeEntryEvidence, writeForkEvidence } from './evidence-file.ts';
import {
  findPinnedKey,
  hasQuorum,
  judgeQuorum,
  judgeStamp,
  type OpenedCheckpoint,
  openKept,
  openPinned,
  originOf,
  type PinnedKey,
} from './judge-checkpoints.ts';
import { EntryJudge } from './judge-entries.ts';
import type { SeenProof } from './judge-proofs.ts';
import type { VouchedTime } from './strictest-times.ts';

export type AuditInput = {
  readonly options: Pick<AuditOptions, 'source' | 'key' | 'evidence' | 'compare' | 'waitSeconds'>;
  readonly source: AuditSource;
  readonly policy: TlogPolicy | undefined;
  readonly kept: readonly CheckpointNote[];
  readonly stamps: readonly Uint8Array[];
  /** Ids of the caller's proofs. */
  readonly proofs: readonly string[];
  readonly roots: readonly Certificate[];
  readonly nowMs: number;
  readonly pause: (seconds: number) => Promise<void>;
  readonly onProgress: (read: number, size: number) => void;
};

type Audited = {
  readonly report: AuditReport;
  /** The checkpoint to keep for the next audit; absent if something contradicts it. */
  readonly note?: string | undefined;
  /** Why there is no file with the evidence of a contradiction. */
  readonly unwritten?: unknown;
};

/** Throws LogUnavailable if there is not even a checkpoint. */
export async function auditLedger(input: AuditInput): Promise<Audited> {
  const audit = new Audit(input);
  await audit.run();
  return audit.finish();
}

class Audit {
  readonly #input: AuditInput;
  readonly #findings = new Findings();
  readonly #report: AuditReport;
  #newest: OpenedCheckpoint | undefined;
  #fork: OpenedCheckpoint | undefined;

  constructor(input: AuditInput) {
    this.#input = input;
    this.#report = {
      schemaVersion: auditSchema,
      outcome: 'INCOMPLETE',
      verifierVersion,
      auditedAt: new Date(input.nowMs).toISOString(),
      source: input.options.source,
      comparedSizes: [],
      entriesRead: 0,
      entriesByKind: {},
      stamps: [],
      answersCompared: 0,
      proofs: [],
      findings: [],
      furtherFindings: 0,
    };
  }

  async run(): Promise<void> {
    const { source, policy, kept, options } = this.#input;
    const note = await this.#readCheckpoint();
    const origin = readOrigin(note);
    const sources = { configured: options.key, policy, kept, readNamed: () => source.readKey() };
    const pinned = await findPinnedKey(origin ?? '', sources);
    if (pinned.from === 'SERVER') this.#findings.add('KEY_NOT_PINNED', { key: toVerifierKey(pinned.key) });
    const newest = await openPinned(note, pinned.key, this.#findings);
    if (newest === undefined) return;
    this.#newest = newest;
    const { size, root } = newest.checkpoint;
    const key = toVerifierKey(pinned.key);
    this.#report.ledger = { name: pinned.key.name, key, keyFrom: pinned.from, size, root: toHex(root) };
    const stamped = await this.#readStamps(size);
    const opened = await openKept([...kept, ...stamped], pinned, this.#findings);
    await this.#compareKept(newest, opened);
    const stamps = [...this.#input.stamps, ...stamped.flatMap(one => one.stamps)];
    const vouched = await this.#judgeVouchers(newest, opened, stamps);
    await this.#readEntries(newest, vouched, pinned);
  }

  /** The quorum follows a new checkpoint within seconds. */
  async #readCheckpoint(): Promise<Uint8Array> {
    const { source, policy, options, pause } = this.#input;
    for (let waited = 0; ; waited++) {
      const note = await source.readCheckpoint();
      if (policy === undefined || waited >= options.waitSeconds || (await hasQuorum(policy, note))) return note;
      await pause(1);
    }
  }

  async #compareKept(newest: OpenedCheckpoint, kept: readonly OpenedCheckpoint[]): Promise<void> {
    const { readTile, readTileAnew } = this.#input.source;
    // Neighbouring checkpoints need the same tiles.
    const remembering = new Map([readTile, readTileAnew].map(read => [read, rememberTiles(read)]));
    for (const other of kept) {
      const facts = { size: other.checkpoint.size, newSize: newest.checkpoint.size };
      if (newest.checkpoint.size < other.checkpoint.size) {
        this.#findings.add('LOG_WENT_BACK', facts);
        this.#fork ??= other;
        continue;
      }
      const verdict = await this.#reading(read =>
        proveConsistency(remembering.get(read) ?? read, other.checkpoint, newest.checkpoint),
      );
      if (verdict === 'CONTRADICTION') {
        this.#findings.add('LOG_REWRITTEN', facts);
        this.#fork ??= other;
      } else if (verdict === 'UNAVAILABLE') this.#findings.add('TILES_WITHHELD', { size: newest.checkpoint.size });
      else this.#report.comparedSizes.push(other.checkpoint.size);
    }
  }

  /** A damaged copy looks like a log that contradicts itself, so the log itself is read in that case. */
  async #reading(work: (readTile: ReadTile) => Promise<void>): Promise<'DONE' | 'CONTRADICTION' | 'UNAVAILABLE'> {
    const { readTile, readTileAnew } = this.#input.source;
    for (const read of readTile === readTileAnew ? [readTile] : [readTile, readTileAnew]) {
      try {
        await work(read);
        return 'DONE';
      } catch (problem) {
        if (problem instanceof LogUnavailable) return 'UNAVAILABLE';
        if (!(problem instanceof LogContradiction)) throw problem;
      }
    }
    return 'CONTRADICTION';
  }

  /** Only if the caller trusts an authority; otherwise they cannot be verified. */
  async #readStamps(size: number): Promise<StampedCheckpoint[]> {
    const { source, roots, stamps } = this.#input;
    if (source.readStamps === undefined || roots.length === 0) return [];
    let found: StampedCheckpoint[] = [];
    try {
      found = parseServerStamps(await source.readStamps(), size);
    } catch (problem) {
      if (!(problem instanceof LogUnavailable))
        this.#findings.add('STAMP_UNUSABLE', { why: 'the answer of the server holds no time stamps' });
      else if (stamps.length === 0) this.#findings.add('STAMP_UNUSABLE', { why: 'the server hands out none' });
    }
    return found;
  }

  async #judgeVouchers(
    newest: OpenedCheckpoint,
    kept: readonly OpenedCheckpoint[],
    stamps: readonly Uint8Array[],
  ): Promise<VouchedTime[]> {
    const { policy, roots } = this.#input;
    const all = [...kept, newest];
    const vouched: VouchedTime[] = [];
    for (const one of policy === undefined ? [] : all) {
      const judged = await judgeQuorum(policy as TlogPolicy, one, this.#findings, one === newest);
      vouched.push(...judged.vouched);
      if (one === newest) this.#report.quorum = judged.quorum;
    }
    for (const stamp of stamps) {
      const judged = await judgeStamp(stamp, all, roots, this.#findings);
      if (judged === undefined) continue;
      const { authority, size, timeMs } = judged;
      this.#report.stamps.push({ authority, size, time: new Date(timeMs).toISOString() });
      vouched.push({ size, timeMs, by: authority, isNewest: false });
    }
    return vouched;
  }

  async #readEntries(newest: OpenedCheckpoint, vouched: readonly VouchedTime[], { key }: PinnedKey): Promise<void> {
    const { options, source, nowMs, onProgress } = this.#input;
    const { size } = newest.checkpoint;
    const read = { judge: new EntryJudge(new Findings(), vouched, { nowMs, sample: 0 }), findings: new Findings() };
    const verdict = await this.#reading(async readTile => {
      read.findings = new Findings();
      read.judge = new EntryJudge(read.findings, vouched, {
        nowMs,
        sample: options.compare,
        named: this.#input.proofs,
      });
      await new LogFollower(readTile).follow(newest.checkpoint, (entry, position) => {
        read.judge.add(entry, position);
        if (position % 4096 === 0) onProgress(position, size);
      });
    });
    if (verdict === 'UNAVAILABLE') return this.#findings.add('TILES_WITHHELD', { size });
    // Entries count only if they match the checkpoint.
    if (verdict === 'CONTRADICTION') return this.#findings.add('TILES_MISMATCH', { size });
    this.#findings.addAll(read.findings);
    this.#tellEntries(read.judge, size);
    this.#tellProofs(read.judge);
    if (source.readAnswer === undefined || (options.compare === 0 && this.#input.proofs.length === 0)) return;
    const { batches, proofs } = read.judge;
    const requestedProofs = this.#input.proofs.flatMap((proofId): [string, SeenProof][] => {
      const proof = proofs.statusOf(proofId);
      return proof === undefined ? [] : [[proofId, proof]];
    });
    const expected = {
      publicKey: key.publicKey,
      batches,
      proofs: new Map(requestedProofs),
      keys: options.compare === 0 ? [] : [...proofs.keys.values()],
    };
    this.#report.answersCompared = await compareAnswers(source.readAnswer, expected, this.#findings);
  }

  #tellEntries({ counts, firstMs, lastMs }: EntryJudge, size: number): void {
    this.#report.entriesRead = size;
    this.#report.entriesByKind = counts;
    if (firstMs !== undefined) this.#report.firstRecordedAt = new Date(firstMs).toISOString();
    if (lastMs !== undefined) this.#report.lastRecordedAt = new Date(lastMs).toISOString();
  }

  #tellProofs({ proofs }: EntryJudge): void {
    for (const proofId of this.#input.proofs) {
      const { status, statusVersion, position } = proofs.statusOf(proofId) ?? {};
      if (status === undefined || statusVersion === undefined || position === undefined) {
        this.#findings.add('PROOF_NOT_RECORDED', { proofId });
        this.#report.proofs.push({ proofId });
      } else this.#report.proofs.push({ proofId, status, statusVersion, position });
    }
  }

  async finish(): Promise<Audited> {
    const findings = this.#findings;
    const report = this.#report;
    report.outcome = findings.outcome;
    report.findings = findings.list.map(found => ({ ...found, message: describeAudit(found, 'en') }));
    report.furtherFindings = findings.further;
    const newest = this.#newest;
    if (report.outcome !== 'CONTRADICTED') return { report, note: newest?.note };
    if (newest === undefined) return { report };
    try {
      report.evidenceFile = await this.#writeEvidence(newest);
      return { report };
    } catch (unwritten) {
      return { report, unwritten };
    }
  }

  async #writeEvidence(newest: OpenedCheckpoint): Promise<string> {
    const { options, source } = this.#input;
    const key = this.#report.ledger?.key ?? '';
    const context = { folder: options.evidence, key, newest, source };
    if (this.#fork !== undefined) return writeForkEvidence(context, this.#fork);
    return writeEntryEvidence(context, this.#report.findings);
  }
}

const mostTiles = 256;

/** For checks of checkpoints in order of size. A failure is remembered too, after a second attempt. */
function rememberTiles(readTile: ReadTile): ReadTile {
  const tiles = new BoundedMap<string, Promise<Uint8Array>>(mostTiles);
  return path => {
    const tile = tiles.use(path) ?? readTile(path).catch(() => readTile(path));
    tiles.set(path, tile);
    return tile;
  };
}

/** Returns undefined for a malformed checkpoint. */
function readOrigin(note: Uint8Array): string | undefined {
  try {
    return originOf(note);
  } catch {
    return undefined;
  }
}
