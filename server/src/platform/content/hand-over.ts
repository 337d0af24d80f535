// State machine between a caller that passes the blocks of a chunk in batches and the writer that stores them. Either
// side may end first: the caller can abort at any step, the writer can end (stored or failed) at any step. Every
// wait is for a state, which is read again after each wake-up.
import { ObjectStoreError } from '../objects/object-store.ts';

export type HandOverState =
  /** The writer has consumed everything so far, and more will come. */
  | { readonly kind: 'empty' }
  /** A batch is ready for the writer. */
  | { readonly kind: 'full'; readonly isLast: boolean }
  /** The writer consumes a batch. */
  | { readonly kind: 'taking'; readonly isLast: boolean }
  /** The writer has consumed the last batch. */
  | { readonly kind: 'drained' }
  /** The caller has aborted; the writer has not ended yet. */
  | { readonly kind: 'broken' }
  /** The writer has ended and holds no resources. */
  | { readonly kind: 'ended' };

type HandOverEvent =
  /** By the caller: one batch, after the previous one was consumed. */
  | { readonly kind: 'give'; readonly isLast: boolean }
  /** By the caller; may be repeated. */
  | { readonly kind: 'breakOff' }
  /** By the writer: it takes the batch, or has consumed it. */
  | { readonly kind: 'pull' }
  /** By the writer: its file is closed. */
  | { readonly kind: 'end' };

const misused = (state: HandOverState, event: HandOverEvent): never => {
  throw new ObjectStoreError('FAILED', `a chunk that is ${state.kind} cannot ${event.kind}`);
};

export function step(state: HandOverState, event: HandOverEvent): HandOverState {
  if (event.kind === 'end' || state.kind === 'ended') return { kind: 'ended' };
  if (event.kind === 'breakOff' || state.kind === 'broken') return { kind: 'broken' };
  if (event.kind === 'give') {
    return state.kind === 'empty' ? { kind: 'full', isLast: event.isLast } : misused(state, event);
  }
  if (state.kind === 'full') return { kind: 'taking', isLast: state.isLast };
  if (state.kind === 'taking') return { kind: state.isLast ? 'drained' : 'empty' };
  return misused(state, event);
}

/** Whether the writer still owns the batch. */
const isWithWriter = ({ kind }: HandOverState): boolean => kind === 'full' || kind === 'taking' || kind === 'broken';

export class HandOver {
  #state: HandOverState = { kind: 'empty' };
  #blocks: readonly Uint8Array[] = [];
  #changed = Promise.withResolvers<void>();

  get state(): HandOverState {
    return this.#state;
  }

  /** Resolves when the writer wants more or has ended. */
  async give(blocks: readonly Uint8Array[], isLast: boolean): Promise<void> {
    this.#step({ kind: 'give', isLast });
    this.#blocks = blocks;
    while (isWithWriter(this.#state)) await this.#changed.promise;
  }

  /** The writer's stream fails at its next block, with or without a batch. */
  breakOff(): void {
    this.#step({ kind: 'breakOff' });
  }

  /** Call once the writer has ended, whatever the result. */
  end(): void {
    this.#step({ kind: 'end' });
    this.#blocks = [];
  }

  /** For a single writer. */
  async *blocks(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      while (this.#state.kind === 'empty') await this.#changed.promise;
      this.#pull();
      for (const block of this.#blocks) {
        yield block;
        this.#assertIntact();
      }
      this.#pull();
      if (this.#state.kind === 'drained') return;
    }
  }

  #pull(): void {
    this.#assertIntact();
    this.#step({ kind: 'pull' });
  }

  #assertIntact(): void {
    if (this.#state.kind === 'broken') {
      throw new ObjectStoreError('ABORTED', 'the caller cancelled this transfer');
    }
  }

  #step(event: HandOverEvent): void {
    this.#state = step(this.#state, event);
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
