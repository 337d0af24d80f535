// Password hashing of a running server, on threads of its own: on Node's thread pool, guessing strangers would delay
// every file read, and each thread would keep the 19 MiB of its last hash. Uses at most half of the processors. The
// queue is bounded and fair between client addresses.
import { timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { openThreads } from '@recordproof/shared/node/threads.ts';
import { FairQueue } from '../fair-queue.ts';
import { toAddressKey } from '../http/rate-limit.ts';
import { type DeriveTask, isOutdated, newSalt, parseText, toTask, toText } from './password-text.ts';
import { passwordThreadCode } from './password-thread-code.ts';

const mostThreads = 4;

/** `outdated`: hashed with other cost parameters than today's; to be hashed again. */
type Verdict = { readonly matches: boolean; readonly outdated: boolean };

export class Passwords implements AsyncDisposable {
  readonly #threads = openThreads<DeriveTask, Uint8Array>(
    passwordThreadCode(),
    Math.min(mostThreads, Math.max(1, Math.floor(availableParallelism() / 2))),
  );
  readonly #queue: FairQueue;

  constructor({ mostWaiting = 64 }: { readonly mostWaiting?: number } = {}) {
    this.#queue = new FairQueue({
      slots: this.#threads.size,
      most: mostWaiting,
      rejection: () =>
        new ApiError('RATE_LIMITED', 'too many concurrent sign-ins; try again', { retryAfterSeconds: 2 }),
    });
  }

  /** `ip` is the client address for the fair queue; without one the call waits only for itself. */
  async hash(password: string, ip?: string): Promise<string> {
    const task = toTask(password, newSalt());
    return toText(task, await this.#derive(task, ip));
  }

  async verify(password: string, stored: string, ip?: string): Promise<Verdict> {
    const { tag, ...rest } = parseText(stored);
    const actual = await this.#derive({ ...rest, password }, ip);
    return { matches: timingSafeEqual(actual, tag), outdated: isOutdated(rest) };
  }

  /** Takes as long as a real check and never matches: for accounts that do not exist. */
  async pretendToVerify(password: string, ip?: string): Promise<false> {
    await this.#derive(toTask(password, new Uint8Array(16)), ip);
    return false;
  }

  #derive(task: DeriveTask, ip: string | undefined): Promise<Uint8Array> {
    return this.#queue.run(ip === undefined ? undefined : toAddressKey(ip), async () => {
      using lane = this.#threads.openLane();
      return await lane.ask(task);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]();
  }
}
