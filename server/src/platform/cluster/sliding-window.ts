// The rate window in process memory: at most `slotsPerWindow` + 1 pairs a key, whatever the limit.
// Strict: a slot leaves the window with its latest call, so no span of one window ever holds more than the limit.

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

  /** One call of the newest slot less. */
  giveBack(): void {
    const newest = this.#slots.at(-1);
    if (newest === undefined) return;
    newest.count -= 1;
    if (newest.count === 0) this.#slots.pop();
    this.#full = false;
  }

  /** Throws out what has left the window first. Runs with each request, so it makes no lists unless something goes. */
  #countLiving(windowMs: number, nowMs: number): number {
    // A slot far in the future was written before the clock was set back; it would block its key for as long.
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

  /** Whether its key is at the limit, so that forgetting it would let somebody go on. */
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
