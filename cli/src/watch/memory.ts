// The state of a watch, computed from its log: each file as last seen, uploads in progress, and missing proofs. Only
// lines of the log change it.
import type { LogLine, Sending } from './events.ts';

type StoredVersion = { readonly fileId: string; readonly version: number };

type Known = {
  readonly revision: string;
  /** The newest version; a file that was only left out so far has none. */
  readonly stored?: StoredVersion;
  /** Of that version; unknown where others have continued the file. */
  readonly contentHash?: string;
  readonly leftOut?: string;
  readonly isGone?: boolean;
};

export type Version = {
  readonly path: string;
  readonly onDisk?: string | undefined;
  readonly version: number;
  readonly contentHash: string;
  readonly archive?: string;
};

type Call = {
  readonly files: Sending[];
  /** Its paths with a final result: stored, or permanently not stored under this requestId. */
  readonly ended: Set<string>;
  readonly notedAt: number;
};

type LineOf<Event extends LogLine['event']> = Extract<LogLine, { event: Event }>;

export class Memory {
  readonly files = new Map<string, Known>();
  /** By requestId: calls with unfinished files. */
  readonly calls = new Map<string, Call>();
  /** By file id: all stored files, ever. */
  readonly versions = new Map<string, Version>();
  /** File ids of those that have no archive yet. */
  readonly unproved = new Set<string>();
  /** By file id: why there will be none. */
  readonly noProof = new Map<string, string>();
  started: LineOf<'started'> | undefined;
  last: LogLine | undefined;
  waitingFor: string | undefined;

  take(line: LogLine): void {
    this.last = line;
    switch (line.event) {
      case 'started':
        this.started = line;
        break;
      case 'sending':
        this.#takeSending(line);
        break;
      case 'stored':
        this.#takeStored(line);
        break;
      case 'not-stored':
        this.#end(line.requestId, line.path);
        break;
      case 'continues':
        this.#takeContinues(line);
        break;
      case 'proved':
      case 'no-proof':
      case 'proof-missing':
        this.#takeProof(line);
        break;
      case 'same':
        this.#change(line.path, { revision: line.revision, isGone: false });
        break;
      case 'left-out':
        this.#change(line.path, { revision: line.revision, isGone: false, leftOut: line.why });
        break;
      case 'gone':
        this.#change(line.path, { isGone: true });
        break;
      case 'waiting':
        this.waitingFor = line.why;
        break;
      case 'going-on':
      case 'stopped':
        this.waitingFor = undefined;
    }
  }

  #change(path: string, { leftOut, ...to }: Partial<Known>): void {
    const { leftOut: _, ...known } = this.files.get(path) ?? { revision: '' };
    this.files.set(path, { ...known, ...to, ...(leftOut !== undefined && { leftOut }) });
  }

  #takeSending({ number: _number, previous: _previous, time, ...sending }: LineOf<'sending'>): void {
    const { requestId } = sending;
    const call = this.calls.get(requestId) ?? { files: [], ended: new Set(), notedAt: Date.parse(time) };
    call.files.push(sending);
    this.calls.set(requestId, call);
  }

  #takeStored({ path, onDisk, revision, contentHash, fileId, version, requestId }: LineOf<'stored'>): void {
    this.files.set(path, { revision, stored: { fileId, version }, contentHash });
    this.versions.set(fileId, { path, onDisk, version, contentHash });
    this.unproved.add(fileId);
    this.#end(requestId, path);
  }

  #end(requestId: string, path: string): void {
    const call = this.calls.get(requestId);
    call?.ended.add(path);
    if (call?.ended.size === call?.files.length) this.calls.delete(requestId);
  }

  #takeContinues({ path, fileId, version }: LineOf<'continues'>): void {
    const { revision = '' } = this.files.get(path) ?? {};
    this.files.set(path, { revision, ...(fileId !== null && { stored: { fileId, version } }) });
  }

  #takeProof(line: LineOf<'proved' | 'no-proof' | 'proof-missing'>): void {
    const { fileId } = line;
    const { archive: _, ...stored } = this.versions.get(fileId) ?? { path: line.path, version: 0, contentHash: '' };
    this.versions.set(fileId, { ...stored, ...(line.event === 'proved' && { archive: line.archive }) });
    if (line.event === 'proof-missing') this.unproved.add(fileId);
    else this.unproved.delete(fileId);
    if (line.event === 'no-proof') this.noProof.set(fileId, line.why);
  }
}
