// Detached OpenTimestamps files: the digest of a file, and a tree of operations that leads to attestations
// (docs/spec/vouchers.md section 10). Compatible with python-opentimestamps, including its limits. Attestations are not
// authenticated here, but checked against data of the caller.
import { concatBytes, isSameBytes, parseHex, toHex, toUtf8 } from './digest.ts';
import { applyOperation, maxMessageBytes, type OtsOperation, operationTags } from './ots-operations.ts';

export type OtsAttestation =
  | { readonly kind: 'PENDING'; readonly uri: string }
  | { readonly kind: 'BITCOIN'; readonly height: number }
  | { readonly kind: 'OTHER'; readonly tag: Uint8Array; readonly payload: Uint8Array };

/** The timestamps of one message. */
export type OtsNode = {
  readonly message: Uint8Array;
  readonly attestations: readonly OtsAttestation[];
  readonly branches: readonly { readonly operation: OtsOperation; readonly node: OtsNode }[];
};

export type OtsFile = { readonly hash: 'sha1' | 'ripemd160' | 'sha256'; readonly root: OtsNode };

export const maxOtsBytes = 256 * 1024;
const magic = concatBytes(
  toUtf8('\0OpenTimestamps\0\0Proof\0'),
  Uint8Array.of(0xbf, 0x89, 0xe2, 0xe8, 0x84, 0xe8, 0x92, 0x94),
);
const version = 1;
const digestBytes = { sha1: 20, ripemd160: 20, sha256: 32 } as const;
/** Messages on one path, including the root. */
const maxDepth = 256;
/** In the whole file. The Python client has no such limit; each costs up to one hash of 4,096 bytes. */
const maxOperations = 8192;
const maxPayloadBytes = 8192;
const maxUriBytes = 1000;

const attestationTags = { PENDING: '83dfe30d2ef90c8e', BITCOIN: '0588960d73d71901' } as const;
/** Other chains, whose blocks are not checked; their payload is a height, too. */
const otherHeightTags = ['06869a0d73d71b45', '30fe8087b5c7ead7'];
const [branch, attestation] = [0xff, 0x00];
const operationOf = new Map<number, OtsOperation['kind']>(
  (Object.keys(operationTags) as OtsOperation['kind'][]).map(kind => [operationTags[kind], kind]),
);

/** Throws RangeError with the defect. */
export function parseOts(bytes: Uint8Array): OtsFile {
  if (bytes.length > maxOtsBytes) throw new RangeError(`the time stamp exceeds ${maxOtsBytes} bytes`);
  const reader = new OtsReader(bytes);
  if (!isSameBytes(reader.take(magic.length), magic)) throw new RangeError('this is no OpenTimestamps file');
  if (reader.byte() !== version) throw new RangeError('the time stamp is of another version');
  const hash = operationOf.get(reader.byte());
  if (hash !== 'sha1' && hash !== 'ripemd160' && hash !== 'sha256')
    throw new RangeError('the file was hashed with an algorithm that is not known');
  const root = reader.node(reader.take(digestBytes[hash]), 1);
  reader.end();
  return { hash, root };
}

class OtsReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #operations = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) throw new RangeError('the time stamp is cut off');
    this.#at += length;
    return this.#bytes.slice(this.#at - length, this.#at);
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw new RangeError('bytes follow the time stamp');
  }

  /** Little-endian groups of seven bits per byte. */
  number(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (!Number.isSafeInteger(value)) throw new RangeError('a number in the time stamp exceeds 2^53 - 1');
      if (byte < 0x80) return value;
      factor *= 128;
    }
  }

  bytes(min: number, max: number): Uint8Array {
    const length = this.number();
    if (length < min || length > max) throw new RangeError('a part of the time stamp has a length that is not allowed');
    return this.take(length);
  }

  node(message: Uint8Array, depth: number): OtsNode {
    if (depth > maxDepth) throw new RangeError('the time stamp is nested too deeply');
    const attestations: OtsAttestation[] = [];
    const branches: OtsNode['branches'][number][] = [];
    for (let isLast = false; !isLast; ) {
      let tag = this.byte();
      isLast = tag !== branch;
      if (!isLast) tag = this.byte();
      if (tag === attestation) attestations.push(this.#attestation());
      else {
        const operation = this.#operation(tag);
        branches.push({ operation, node: this.node(applyOperation(operation, message), depth + 1) });
      }
    }
    return { message, attestations, branches };
  }

  #operation(tag: number): OtsOperation {
    const kind = operationOf.get(tag);
    if (kind === undefined) throw new RangeError('the time stamp has an operation that is not known');
    if (++this.#operations > maxOperations) throw new RangeError('the time stamp has too many operations');
    return kind === 'append' || kind === 'prepend' ? { kind, argument: this.bytes(1, maxMessageBytes) } : { kind };
  }

  #attestation(): OtsAttestation {
    const tag = this.take(8);
    const payload = this.bytes(0, maxPayloadBytes);
    const name = toHex(tag);
    const reader = new OtsReader(payload);
    if (name === attestationTags.PENDING) {
      const uri = reader.bytes(0, maxUriBytes);
      reader.end();
      return { kind: 'PENDING', uri: readUri(uri) };
    }
    const isBitcoin = name === attestationTags.BITCOIN;
    if (!isBitcoin && !otherHeightTags.includes(name)) return { kind: 'OTHER', tag, payload };
    const height = reader.number();
    reader.end();
    return isBitcoin ? { kind: 'BITCOIN', height } : { kind: 'OTHER', tag, payload };
  }
}

/** No query, no user name, no escapes. */
function readUri(bytes: Uint8Array): string {
  const uri = String.fromCharCode(...bytes);
  if (!/^[A-Za-z0-9._/:-]*$/.test(uri))
    throw new RangeError('the address of the calendar has a character that is not allowed');
  return uri;
}

export type OtsClaim = { readonly message: Uint8Array; readonly attestation: OtsAttestation };

/** Each attestation with its message, in file order. */
export function listOtsClaims(node: OtsNode): OtsClaim[] {
  const own = node.attestations.map(attestation => ({ message: node.message, attestation }));
  return [...own, ...node.branches.flatMap(({ node: next }) => listOtsClaims(next))];
}

/** A tree with a single path: `operations` on the message, then the timestamps of the result. */
export function otsPath(
  message: Uint8Array,
  operations: readonly OtsOperation[],
  end: (message: Uint8Array) => OtsNode,
): OtsNode {
  const [operation, ...rest] = operations;
  if (operation === undefined) return end(message);
  const node = otsPath(applyOperation(operation, message), rest, end);
  return { message, attestations: [], branches: [{ operation, node }] };
}

/** A calendar's answer: the operations and attestations for this message, without a header. */
export function parseCalendarAnswer(bytes: Uint8Array, message: Uint8Array): OtsNode {
  if (bytes.length > maxOtsBytes) throw new RangeError(`the answer of the calendar exceeds ${maxOtsBytes} bytes`);
  const reader = new OtsReader(bytes);
  const node = reader.node(message, 1);
  reader.end();
  return node;
}

/** The inverse of `parseCalendarAnswer`. */
export function writeCalendarAnswer(node: OtsNode): Uint8Array {
  const bytes = concatBytes(...writeNode(node));
  parseCalendarAnswer(bytes, node.message);
  return bytes;
}

/** Reads its output before returning it, so that it respects all limits. */
export function writeOts({ hash, root }: OtsFile): Uint8Array {
  const head = [magic, Uint8Array.of(version, operationTags[hash]), root.message];
  const bytes = concatBytes(...head, ...writeNode(root));
  parseOts(bytes);
  return bytes;
}

function writeNode(node: OtsNode): Uint8Array[] {
  const items = [
    ...node.attestations.map(item => concatBytes(Uint8Array.of(attestation), writeAttestation(item))),
    ...node.branches.map(({ operation, node: next }) => concatBytes(writeOperation(operation), ...writeNode(next))),
  ];
  if (items.length === 0) throw new RangeError('a time stamp ends with an attestation');
  return items.flatMap((item, at) => (at < items.length - 1 ? [Uint8Array.of(branch), item] : [item]));
}

const writeOperation = (operation: OtsOperation): Uint8Array =>
  'argument' in operation
    ? concatBytes(Uint8Array.of(operationTags[operation.kind]), writeBytes(operation.argument))
    : Uint8Array.of(operationTags[operation.kind]);

function writeAttestation(item: OtsAttestation): Uint8Array {
  if (item.kind === 'OTHER') return concatBytes(item.tag, writeBytes(item.payload));
  const payload = item.kind === 'BITCOIN' ? writeNumber(item.height) : writeBytes(toUtf8(item.uri));
  return concatBytes(parseHex(attestationTags[item.kind]), writeBytes(payload));
}

const writeBytes = (bytes: Uint8Array): Uint8Array => concatBytes(writeNumber(bytes.length), bytes);

function writeNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; bytes.length === 0 || left > 0; left = Math.floor(left / 128))
    bytes.push(left > 127 ? (left % 128) | 0x80 : left);
  return Uint8Array.from(bytes);
}
