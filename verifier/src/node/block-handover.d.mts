// Types of the hand-over of file blocks.
type Operation = 'load' | 'wait' | 'store' | 'notify' | 'hash';

/** The state of one side: the word it read last, and the word it hands over. */
type Side = { readonly seen: number; readonly given: number };

export type Step = {
  readonly op: Operation;
  readonly value?: (side: Side) => number;
  /** The name of the next step, or `end`. */
  readonly next: (seen: number) => string;
};

/** Starts at `look`. */
export type Steps = Readonly<Record<string, Step>>;
export type Perform = (op: Operation, value: number | undefined) => number | string | undefined;

export const empty: number;
export const closed: number;
export function toWord(block: number, length: number): number;
export function fromWord(word: number): { readonly block: number; readonly length: number };
export const handOverSteps: Steps;
export const takeSteps: Steps;
export function runSteps(steps: Steps, perform: Perform, given?: number): void;
/** With `hash`, the operations of the hasher. */
export function onMemory(memory: Int32Array<SharedArrayBuffer>, hasher?: { hash(word: number): undefined }): Perform;
