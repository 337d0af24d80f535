// Wire between preload and window: one channel for requests, one that cancels them, one for pushes. It has no schemas, which
// would make the preload larger; the program checks every message anyway.
import type { SentFailure } from './failures.ts';
import type { PushName } from './table.ts';

export type Reply =
  | { readonly ok: true; readonly answer?: unknown }
  | { readonly ok: false; readonly failure: SentFailure };

/** `call` identifies the request, so that it can be cancelled. */
type RequestMessage = { readonly call: string; readonly name: string; readonly input: unknown };
export type PushMessage = { readonly name: PushName; readonly value: unknown };

export type Wire = {
  /** Resolves with a Reply. */
  request(message: RequestMessage): Promise<unknown>;
  cancel(call: string): Promise<void>;
  onPush(listener: (message: PushMessage) => void): () => void;
  /** Undefined for a file that is not on a disk. */
  pathOf(file: File): string | undefined;
};

export const requestChannel = 'recordproof:request';
export const cancelChannel = 'recordproof:cancel';
export const pushChannel = 'recordproof:push';

/** The property of `window` that holds the wire. */
export const wireName = 'recordproofWire';
