// What the preload hands to the window, and nothing more: the channels of the table, and where a dropped file lies.
import type { SentFailure } from './failures.ts';
import type { PushName, RequestName } from './names.ts';

export type Reply =
  | { readonly ok: true; readonly answer?: unknown }
  | { readonly ok: false; readonly failure: SentFailure };

export type Wire = {
  /** Answers with a Reply. */
  ask(name: RequestName, input: unknown): Promise<unknown>;
  hear(name: PushName, hear: (value: unknown) => void): () => void;
  /** Undefined for a file that lies on no disk. */
  pathOf(file: File): string | undefined;
};

/** The name under which it stands in the window. */
export const wireName = 'recordproofWire';
