// Progress of a transfer, reported at most ten times a second. The rate is a moving average.
import type { Clock } from './ports.ts';

export type Phase = 'hashing' | 'sending' | 'finishing' | 'receiving' | 'verifying' | 'done';

export type Progress = {
  readonly phase: Phase;
  /** What is known of it: it grows with the bytes moved where that was too low. */
  readonly totalBytes: number;
  readonly bytesHashed: number;
  /** Bytes sent or received, without repeated ones. */
  readonly bytesMoved: number;
  /** Over the last seconds; 0 before the first bytes. */
  readonly bytesPerSecond: number;
  readonly etaSeconds: number | undefined;
  readonly retries: number;
};

export type OnProgress = (progress: Progress) => void;

export type ProgressMeter = {
  enter(phase: Phase): void;
  hashed(bytes: number): void;
  /** Negative if bytes have to be moved again. */
  moved(bytes: number): void;
  /** Bytes that need not be moved; they do not count for the rate. */
  skipped(bytes: number): void;
  retried(): void;
};

const reportIntervalMs = 100;
const memoryMs = 3000;

export function openProgress(totalBytes: number, clock: Clock, onProgress?: OnProgress): ProgressMeter {
  let phase: Phase = 'hashing';
  let bytesHashed = 0;
  let bytesMoved = 0;
  let retries = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let rate = 0;
  let pending = 0;
  let ratedAt = clock.now();

  function measure(now: number): void {
    const passed = now - ratedAt;
    if (passed <= 0) return;
    const weight = 1 - Math.exp(-passed / memoryMs);
    const current = (Math.max(0, pending) * 1000) / passed;
    rate = rate === 0 ? current : rate + weight * (current - rate);
    pending = 0;
    ratedAt = now;
  }

  function report(isUrgent: boolean): void {
    const now = clock.now();
    if (!onProgress || (!isUrgent && now - reportedAt < reportIntervalMs)) return;
    measure(now);
    reportedAt = now;
    const total = Math.max(totalBytes, bytesMoved);
    const etaSeconds = rate > 0 ? Math.ceil((total - bytesMoved) / rate) : undefined;
    const bytesPerSecond = Math.round(rate);
    onProgress({ phase, totalBytes: total, bytesHashed, bytesMoved, bytesPerSecond, etaSeconds, retries });
  }

  return {
    enter(next) {
      if (next === phase) return;
      phase = next;
      report(true);
    },
    hashed(bytes) {
      bytesHashed += bytes;
      report(false);
    },
    moved(bytes) {
      bytesMoved += bytes;
      pending += bytes;
      report(false);
    },
    skipped(bytes) {
      bytesMoved += bytes;
      report(false);
    },
    retried() {
      retries += 1;
      report(true);
    },
  };
}
