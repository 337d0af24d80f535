// The passwords of a running server. Hashed by threads of its own: on those that Node shares out, strangers who guess would
// hold up every read of a file, and each of four would keep the 19 MiB of its last hash. They take half of the processors
// and no more, so that the other half answers. Refuses instead of piling up; addresses take turns.
import { timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { openThreads } from '@recordproof/shared/node/threads.ts';
import { FairQueue } from '../fair-queue.ts';
import { toAddressKey } from '../http/rate-limit.ts';
import { newSalt } from './password-hash.ts';
import { type DeriveTask, isOutdated, parseText, toTask, toText } from './password-text.ts';
import { passwordThreadCode } from './password-thread-code.ts';

const mostThreads = 4;

/** When outdated, it is to be hashed anew: it was made to cost something else than today. */
type Verdict = { readonly matches: boolean; readonly outdated: boolean };

export class Passwords implements AsyncDisposable {
  readonly #threads = openThreads<DeriveTask, Uint8Array>(
    passwordThreadCode(),
    Math.min(mostThreads, Math.max(1, Math.floor(availableParallelism() / 2))),
  );
  readonly #queue: FairQueue;

  constructor({ mostWaiting = 64 }: { readonly mostWaiting?: number } = {}) {
    this.#queue = new FairQueue({
      places: this.#threads.size,
      most: mostWaiting,
      refusal: () => new ApiError('RATE_LIMITED', 'too many logins at once, try again', { retryAfterSeconds: 2 }),
    });
  }

  /** `ip` is the address that asks, with which it shares its turns; what has none waits for itself alone. */
  async hash(password: string, ip?: string): Promise<string> {
    const task = toTask(password, newSalt());
    return toText(task, await this.#derive(task, ip));
  }

  async verify(password: string, stored: string, ip?: string): Promise<Verdict> {
    const { tag, ...rest } = parseText(stored);
    const actual = await this.#derive({ ...rest, password }, ip);
    return { matches: timingSafeEqual(actual, tag), outdated: isOutdated(rest) };
  }

  /** Takes as long as checking a real password and never matches: for accounts that do not exist. */
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
