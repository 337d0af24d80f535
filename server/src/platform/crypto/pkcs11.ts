// Key provider `pkcs11`, contract 1: data keys wrapped with AES-GCM inside a hardware module, under a key that cannot
// leave it; the binding is the associated data. A thread makes the blocking calls. Nothing is loaded before first use.
import type { KeyObject } from 'node:crypto';
import { openThreads } from '@recordproof/shared/node/threads.ts';
import type { CircuitBreaker } from '../circuit-breaker.ts';
import { within } from '../within.ts';
import {
  type KeyProvider,
  KeyProviderError,
  type Outcome,
  type UnwrapRequest,
  type WrappedKey,
  type WrapRequest,
} from './envelope.ts';
import type { TokenAnswer, TokenFailure, TokenOutcome, TokenTask, UnwrapTask, WrapTask } from './pkcs11-thread.ts';
import { pkcs11ThreadCode } from './pkcs11-thread-code.ts';
import { hardwareAlgorithm, type TokenKeyAddress } from './pkcs11-token.ts';
import { only, toCallFailure } from './remote-keys.ts';
import { openSecret, type SecretSource } from './secret-file.ts';

export type Pkcs11Options = TokenKeyAddress & { readonly pin: SecretSource; readonly timeoutMs: number };

const mostAtOnce = 100;
/** Length of the queue for the token; further calls are rejected with a retry time. */
const mostWaiting = 256;
const closeMs = 2000;

export const openPkcs11Keys = (options: Pkcs11Options, breaker: CircuitBreaker): KeyProvider & AsyncDisposable =>
  new Pkcs11Provider(options, breaker);

type Asking = { readonly kind: 'find' } | Pick<WrapTask, 'kind' | 'wishes'> | Pick<UnwrapTask, 'kind' | 'wishes'>;

class Pkcs11Provider implements KeyProvider, AsyncDisposable {
  readonly id = 'pkcs11';
  readonly contract = 1;
  readonly operations = ['wrap', 'unwrap', 'read-key'] as const;
  readonly algorithms = [hardwareAlgorithm];
  readonly many = {
    mostAtOnce,
    wrap: (requests: readonly WrapRequest[]) => this.#wrapMany(requests),
    unwrap: (requests: readonly UnwrapRequest[]) => this.#unwrapMany(requests),
  };
  readonly #keyAddress: TokenKeyAddress;
  readonly #readPin: () => Promise<string>;
  readonly #breaker: CircuitBreaker;
  readonly #threads = openThreads<TokenTask, TokenAnswer>(pkcs11ThreadCode(), 1);
  #waiting = 0;

  constructor({ module, token, key, pin }: Pkcs11Options, breaker: CircuitBreaker) {
    this.#keyAddress = { module, token, key };
    this.#readPin = openSecret(pin, 'PIN');
    this.#breaker = breaker;
  }

  async activeKeyVersion(): Promise<string> {
    const answer = await this.#ask({ kind: 'find' });
    if (answer.kind !== 'version') throw strange();
    return answer.version;
  }

  async wrap(dataKey: KeyObject, binding: Uint8Array): Promise<WrappedKey> {
    return only(await this.#wrapMany([{ dataKey, binding }]));
  }

  async unwrap(wrapped: WrappedKey, binding: Uint8Array): Promise<KeyObject> {
    return only(await this.#unwrapMany([{ wrapped, binding }]));
  }

  /** A call that hangs in the module cannot be interrupted, and must not keep the rest of the server from closing. */
  async [Symbol.asyncDispose](): Promise<void> {
    await within(closeMs, Promise.resolve(this.#threads[Symbol.asyncDispose]()));
  }

  async #wrapMany(requests: readonly WrapRequest[]): Promise<Outcome<WrappedKey>[]> {
    const answer = await this.#ask({ kind: 'wrap', wishes: requests });
    if (answer.kind !== 'wrapped') throw strange();
    return answer.outcomes.map(fromThread);
  }

  async #unwrapMany(requests: readonly UnwrapRequest[]): Promise<Outcome<KeyObject>[]> {
    const answer = await this.#ask({ kind: 'unwrap', wishes: requests });
    if (answer.kind !== 'unwrapped') throw strange();
    return answer.outcomes.map(fromThread);
  }

  async #ask(asking: Asking): Promise<TokenAnswer> {
    if (this.#waiting >= mostWaiting)
      throw new KeyProviderError('THROTTLED', `${mostWaiting} requests already wait for the token; try again later`);
    const pin = await this.#readPin();
    this.#waiting += 1;
    try {
      return await this.#breaker.run(() => this.#exchange({ ...asking, keyAddress: this.#keyAddress, pin }));
    } catch (error) {
      throw toCallFailure(error, 'the token');
    } finally {
      this.#waiting -= 1;
    }
  }

  async #exchange(task: TokenTask): Promise<TokenAnswer> {
    using lane = this.#threads.openLane();
    try {
      const answer = await lane.ask(task);
      const outage = findOutage(answer);
      if (outage === undefined) return answer;
      throw outage;
    } catch (error) {
      throw isSaid(error)
        ? toError(error)
        : new KeyProviderError('UNAVAILABLE', 'the thread of the PKCS#11 module crashed', error);
    }
  }
}

/** The failure of all keys, if it is one of the token: thrown, so that the circuit breaker counts it. */
function findOutage(answer: TokenAnswer): TokenFailure | undefined {
  if (answer.kind === 'version') return undefined;
  const failures = answer.outcomes.map(outcome => ('failure' in outcome ? outcome.failure : undefined));
  return failures.every(failure => failure?.category === 'UNAVAILABLE') ? failures[0] : undefined;
}

const isSaid = (error: unknown): error is TokenFailure =>
  typeof error === 'object' && error !== null && 'category' in error && 'message' in error;

const toError = ({ category, message }: TokenFailure): KeyProviderError => new KeyProviderError(category, message);

const strange = () => new KeyProviderError('INTERNAL', 'the thread of the PKCS#11 module sent an unexpected response');

function fromThread<T>(outcome: TokenOutcome<T>): Outcome<T> {
  return 'failure' in outcome ? toError(outcome.failure) : outcome.good;
}
