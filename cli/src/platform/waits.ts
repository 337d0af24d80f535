// Waits requested by the server: reported once for all calls that wait until the same time. Ctrl-C ends a wait at
// once.
import { type Clock, systemClock } from '@recordproof/shared/transfer/ports.ts';
import type { OnWait, Wait } from '@recordproof/shared/transfer/wait.ts';
import { listenForInterrupts } from './interrupts.ts';
import { tint, writeMessage } from './output.ts';

export type ShownWait = Pick<Wait, 'why' | 'perMinute'> & { readonly until: Date };

export type Waits = {
  readonly tell: OnWait;
  /** While waits are displayed in another way, no line is written. */
  showBy(show: (wait: ShownWait) => void): Disposable;
};

const two = (value: number): string => String(value).padStart(2, '0');

/** On the clock of this machine. */
const toClockTime = (time: Date): string => [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');

export function toWaitText({ why, perMinute, until }: ShownWait): string {
  const rateLimit = perMinute === undefined ? 'the rate limit' : `the rate limit (${perMinute} per minute)`;
  const what = why === 'rate-limit' ? rateLimit : 'the server, which is busy';
  return `waiting for ${what}, until ${toClockTime(until)}`;
}

const writeWait = (wait: ShownWait): void => writeMessage(tint('dim', toWaitText(wait)));

/** Calls that wait for the same time may differ by a fraction of a second. */
const toleranceMs = 2000;

export function openWaits(): Waits {
  let reportedUntil = 0;
  let show = writeWait;
  return {
    tell({ why, seconds, perMinute }) {
      const until = Date.now() + seconds * 1000;
      if (until <= reportedUntil + toleranceMs) return;
      reportedUntil = until;
      show({ why, perMinute, until: new Date(until) });
    },
    showBy(other) {
      show = other;
      return {
        [Symbol.dispose]: () => {
          show = writeWait;
        },
      };
    },
  };
}

export const interruptibleClock: Clock = {
  ...systemClock,
  async sleep(milliseconds, signal) {
    using interrupts = listenForInterrupts('run the same command again to continue');
    await systemClock.sleep(milliseconds, signal ? AbortSignal.any([signal, interrupts.signal]) : interrupts.signal);
  },
};
