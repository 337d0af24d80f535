// The core of a witness for transparency logs (C2SP tlog-witness, docs/spec/vouchers.md section 6): parsing a request,
// checking the log's signature, and the decision. It never cosigns a fork, and never an older size.
import { type Checkpoint, parseCheckpointText, parseLogSize } from './checkpoint.ts';
import { type NoteVerifiers, signCosignatureLine, type TypedNoteSigner, verifyCosignature } from './cosignature.ts';
import { isSameBytes, parseUtf8, sha256, toUtf8 } from './digest.ts';
import { isConsistent, type SizedRoot } from './merkle-ranges.ts';
import { type TypedNoteKey, typedKeyId } from './note-keys.ts';
import { parseSignedNote, type SignedNote, signaturesBy, toSignatureLine } from './signed-note.ts';
import { parseHash } from './tlog-proof.ts';

export const maxAddCheckpointBytes = 64 * 1024;
const maxProofHashes = 63;
/** A clock may be set back by this much; cosignatures then keep the later time. */
const maxClockStepSeconds = 60;

type AddCheckpoint = {
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  readonly note: SignedNote;
  readonly checkpoint: Checkpoint;
};

/** The newest cosigned checkpoint of a log, its time, and its note with the log's own signatures. */
export type WitnessedLog = SizedRoot & { readonly timeSeconds: number; readonly note: string };

type Rejection = {
  readonly kind: 'REJECTED';
  readonly status: 400 | 403 | 404 | 409 | 422 | 503;
  readonly message: string;
  /** With 409: the old size required in the next request. */
  readonly size?: number;
  /** The log signed two different trees of one size. */
  readonly isFork?: true;
};

export type WitnessDecision = Rejection | { readonly kind: 'COSIGN'; readonly next: WitnessedLog };

const reject = (status: Rejection['status'], message: string): Rejection => ({ kind: 'REJECTED', status, message });

/** Throws RangeError if the request is malformed. */
function parseAddCheckpoint(body: Uint8Array): AddCheckpoint {
  if (body.length > maxAddCheckpointBytes) throw new RangeError('the request is larger than 64 KiB');
  const text = parseUtf8(body);
  const end = text.indexOf('\n\n');
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const oldSize = first.startsWith('old ') ? parseLogSize(first.slice('old '.length)) : undefined;
  if (oldSize === undefined) throw new RangeError('the request does not begin with a line: old <size>');
  if (lines.length > maxProofHashes) throw new RangeError(`the request has more than ${maxProofHashes} proof lines`);
  const note = parseSignedNote(toUtf8(text.slice(end + 2)));
  return { oldSize, proof: lines.map(parseHash), note, checkpoint: parseCheckpointText(note.text) };
}

const nothing: SizedRoot = { size: 0, root: sha256(new Uint8Array(0)) };

/** `keys` of the log signed the request. `latest` is the newest durable state of that log. */
function decide(
  latest: WitnessedLog | undefined,
  { oldSize, proof, checkpoint, note }: AddCheckpoint,
  keys: readonly TypedNoteKey[],
  nowSeconds: number,
): WitnessDecision {
  const { size, root } = latest ?? nothing;
  if (oldSize > checkpoint.size) return reject(400, 'the old size is larger than the size of the checkpoint');
  if (oldSize !== size) return { ...reject(409, `the newest checkpoint that was cosigned has the size ${size}`), size };
  if (checkpoint.size === size && !isSameBytes(checkpoint.root, root))
    return { ...reject(409, `another tree of the size ${size} was cosigned`), size, isFork: true };
  if (!isConsistent({ size, root }, checkpoint, proof))
    return reject(422, `the proof does not show that the log of ${size} entries was only added to`);
  const earliest = latest?.timeSeconds ?? 0;
  if (nowSeconds < earliest - maxClockStepSeconds)
    return reject(503, 'the clock of the witness is behind its own cosignatures: its operator must set it');
  const timeSeconds = Math.max(nowSeconds, earliest);
  const next = { size: checkpoint.size, root: checkpoint.root, timeSeconds, note: toNoteOf(note, keys) };
  return { kind: 'COSIGN', next };
}

/** The note with the signatures of these keys only. */
function toNoteOf(note: SignedNote, keys: readonly TypedNoteKey[]): string {
  const lines = keys
    .flatMap(key => signaturesBy(note, key.name, typedKeyId(key)))
    .map(({ name, keyId, signature }) => toSignatureLine(name, keyId, signature));
  return `${note.text}\n${lines.join('')}`;
}

/**
 * Runs `decide` on the newest durable state of the log, serialized per log. Its result is durable when this resolves;
 * after a rejection, the state is the old or the new one.
 */
export type WitnessStore = {
  update(origin: string, decide: (latest: WitnessedLog | undefined) => WitnessDecision): Promise<WitnessDecision>;
};

export type WitnessParts = {
  /** By origin. */
  readonly logs: ReadonlyMap<string, readonly TypedNoteKey[]>;
  readonly signers: readonly TypedNoteSigner[];
  readonly verifiers: NoteVerifiers;
  readonly store: WitnessStore;
  readonly nowSeconds: () => number;
  /** Called with both notes when a log has signed two different trees of one size. */
  readonly onFork?: (first: string, second: string) => void;
};

export type WitnessAnswer =
  | Rejection
  | { readonly kind: 'COSIGNED'; readonly lines: string; readonly origin: string; readonly size: number };

/** Handles one request. Rejects only if the store does. */
export async function addCheckpoint(body: Uint8Array, parts: WitnessParts): Promise<WitnessAnswer> {
  let request: AddCheckpoint;
  try {
    request = parseAddCheckpoint(body);
  } catch (problem) {
    return reject(400, problem instanceof RangeError ? problem.message : 'the request is not UTF-8');
  }
  const { note, checkpoint } = request;
  const keys = parts.logs.get(checkpoint.origin);
  if (keys === undefined) return reject(404, 'this witness does not follow a log of that origin');
  if (!(await isSignedByLog(note, keys, parts.verifiers)))
    return reject(403, 'the checkpoint is not signed by a key of that log');
  const decision = await parts.store.update(checkpoint.origin, latest => {
    const made = decide(latest, request, keys, parts.nowSeconds());
    if (made.kind === 'REJECTED' && made.isFork && latest !== undefined)
      parts.onFork?.(latest.note, toNoteOf(note, keys));
    return made;
  });
  if (decision.kind === 'REJECTED') return decision;
  const { timeSeconds } = decision.next;
  const lines = await Promise.all(parts.signers.map(signer => signCosignatureLine(note.text, signer, timeSeconds)));
  return { kind: 'COSIGNED', lines: lines.join(''), origin: checkpoint.origin, size: checkpoint.size };
}

/** At least one key of the log signed it, and none of its signatures is invalid. */
async function isSignedByLog(note: SignedNote, keys: readonly TypedNoteKey[], verifiers: NoteVerifiers) {
  const verdicts = await Promise.all(keys.map(key => verifyCosignature(note, key, verifiers)));
  const states = verdicts.map(({ state }) => state);
  return states.includes('VALID') && !states.includes('WRONG');
}
