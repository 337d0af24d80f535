// In-memory sliding window: at most `slotsPerWindow` + 1 pairs per key for any limit. Strict: a slot expires with its
// latest call, so no span of one window ever exceeds the limit.

import { type RateHit, slotsPerWindow } from './cluster.ts';

type Slot = { lastMs: number; count: number };

export class SlidingWindow {
  #slots: Slot[] = [];
  #windowMs = 0;
  #full = false;

  hit(limit: number, windowMs: number, nowMs: number): RateHit {
    this.#windowMs = windowMs;
    const before = this.#countLiving(windowMs, nowMs);
    const allowed = before < limit;
    if (allowed) this.#add(nowMs, Math.max(1, Math.floor(windowMs / slotsPerWindow)));
    this.#full = before + 1 >= limit;
    return {
      count: before + 1,
      limit,
      remaining: Math.max(0, limit - before - 1),
      resetAtMs: (this.#slots[0]?.lastMs ?? nowMs) + windowMs,
      allowed,
    };
  }

  /** Removes one call from the newest slot. */
  uncount(): void {
    const newest = this.#slots.at(-1);
    if (newest === undefined) return;
    newest.count -= 1;
    if (newest.count === 0) this.#slots.pop();
    this.#full = false;
  }

  /** Expires old slots first. Runs on each request, so it allocates no list unless a slot expires. */
  #countLiving(windowMs: number, nowMs: number): number {
    // A slot far in the future predates a clock that was set back; it would block its key for as long.
    const isLiving = ({ lastMs }: Slot) => lastMs > nowMs - windowMs && lastMs <= nowMs + windowMs;
    let sum = 0;
    for (const slot of this.#slots) {
      if (isLiving(slot)) sum += slot.count;
      else {
        this.#slots = this.#slots.filter(isLiving);
        return this.#slots.reduce((living, { count }) => living + count, 0);
      }
    }
    return sum;
  }

  isOver(nowMs: number): boolean {
    const newest = this.#slots.at(-1);
    return newest === undefined || newest.lastMs <= nowMs - this.#windowMs;
  }

  /** Whether the key is at its limit: evicting it would lift the limit. */
  isFull(): boolean {
    return this.#full;
  }

  #add(nowMs: number, slotMs: number): void {
    const newest = this.#slots.at(-1);
    if (newest !== undefined && Math.floor(nowMs / slotMs) <= Math.floor(newest.lastMs / slotMs)) {
      newest.lastMs = Math.max(newest.lastMs, nowMs);
      newest.count += 1;
    } else {
      this.#slots.push({ lastMs: nowMs, count: 1 });
    }
  }
}
