// The durable state of a witness in one small file: the last cosigned checkpoint of each log. One update at a time; a
// response only after the file is durable. File access is a port.
import { canonicalJson } from './canonical-json.ts';
import { parseBase64, toBase64, toUtf8 } from './digest.ts';
import { isNoteName } from './signed-note.ts';
import { parseStrictJson } from './strict-json.ts';
import { arrayOf, integer, objectOf, oneOf, text } from './strict-shape.ts';
import type { WitnessDecision, WitnessedLog, WitnessStore } from './witness.ts';

const stateSchema = 'recordproof.witness-state.v1';
const maxStateBytes = 64 * 1024 * 1024;
const anyText = text(/./s, 'a text');

const stateShape = objectOf({
  schema: oneOf(stateSchema),
  name: anyText,
  logs: arrayOf(
    objectOf({
      origin: anyText,
      size: integer(0),
      root: text(/^[A-Za-z0-9+/]{43}=$/, '32 bytes in base64'),
      timeSeconds: integer(0),
      note: anyText,
    }),
    0,
    100_000,
  ),
});

export type WitnessState = { readonly name: string; readonly logs: ReadonlyMap<string, WitnessedLog> };

export function writeWitnessState({ name, logs }: WitnessState): string {
  const rows = [...logs].map(([origin, log]) => ({ ...log, origin, root: toBase64(log.root) }));
  return `${canonicalJson({ schema: stateSchema, name, logs: rows })}\n`;
}

/** Throws if it is not such a file. */
export function parseWitnessState(content: string): WitnessState {
  const value = parseStrictJson(toUtf8(content), { maxBytes: maxStateBytes, maxDepth: 4 });
  const { name, logs } = stateShape(value, '');
  if (!isNoteName(name)) throw new RangeError('the name of the witness is malformed');
  const entries = logs.map(({ origin, root, ...log }) => [origin, { ...log, root: parseBase64(root) }] as const);
  if (new Set(logs.map(({ origin }) => origin)).size !== logs.length) throw new RangeError('a log is in it twice');
  return { name, logs: new Map(entries) };
}

/** A write is atomic, and durable when it resolves; after a rejection the file has the old or the new content. */
export type StateFile = { read(): Promise<string>; write(content: string): Promise<void> };

export class FileWitnessStore implements WitnessStore {
  readonly #file: StateFile;
  /** Undefined before the first use and after a failed write, when the durable state is unknown. */
  #state: WitnessState | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: StateFile) {
    this.#file = file;
  }

  /** The newest durable state. */
  load(): Promise<WitnessState> {
    return this.#alone(() => this.#durable());
  }

  update(origin: string, decide: (latest: WitnessedLog | undefined) => WitnessDecision): Promise<WitnessDecision> {
    return this.#alone(async () => {
      const state = await this.#durable();
      const latest = state.logs.get(origin);
      const decision = decide(latest);
      if (decision.kind === 'REJECTED') return decision;
      const next = { ...state, logs: new Map(state.logs).set(origin, decision.next) };
      // The same tree only needs a later time, for which a crash does no harm.
      if (latest === undefined || latest.size !== decision.next.size) await this.#write(next);
      this.#state = next;
      return decision;
    });
  }

  /** What was read may only be in the system's cache: it is written again before any decision on it. */
  async #durable(): Promise<WitnessState> {
    if (this.#state !== undefined) return this.#state;
    const state = parseWitnessState(await this.#file.read());
    await this.#write(state);
    this.#state = state;
    return state;
  }

  async #write(state: WitnessState): Promise<void> {
    this.#state = undefined;
    await this.#file.write(writeWitnessState(state));
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
