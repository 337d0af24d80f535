// Short bytes for texts that resemble each other, such as JSON of one shape: phrases and values that other columns hold
// become one byte, lowercase hex half as many, decimal numbers their value. Every text comes back exactly as it was.

/** Phrases are part of the stored format: a list may be extended at its end and never changed otherwise. */
type TextPacking = {
  /** `known`: values the reader has as well, in the same order. Throws for a text that is not well-formed Unicode. */
  readonly pack: (text: string, known?: readonly string[]) => Buffer;
  /** Null for bytes that no text was packed into. */
  readonly unpack: (bytes: Uint8Array, known?: readonly string[]) => string | null;
};

// The first byte of each piece. Behind `literal` and `hex` follows the number of bytes; numbers are LEB128.
const literal = 0;
const hex = 1;
const digest = 2;
const decimal = 3;
const firstKnown = 16;
const firstPhrase = 32;
const maxPhrases = 256 - firstPhrase;
const maxKnown = firstPhrase - firstKnown;

const digestBytes = 32;
/** Shorter values are not worth the byte of their own and the piece that they interrupt. */
const minKnownLength = 4;
const hexRun = /(?:[0-9a-f]{2}){8,}/y;
const decimalRun = /(?:0|[1-9]\d{0,14})(?!\d)/y;

type Candidate = { readonly text: string; readonly code: number };

export function textPacking(phrases: readonly string[]): TextPacking {
  if (phrases.length > maxPhrases) throw new RangeError(`a packing has at most ${maxPhrases} phrases`);
  const byStart = new Map<number, Candidate[]>();
  for (const [index, text] of phrases.entries()) add(byStart, { text, code: firstPhrase + index });
  return {
    pack: (text, known = []) => pack(text, byStart, ofKnown(known)),
    unpack: (bytes, known = []) => unpack(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), phrases, known),
  };
}

/** Longest first, so that the first match is the best one. */
function add(byStart: Map<number, Candidate[]>, candidate: Candidate): void {
  const start = candidate.text.charCodeAt(0);
  const sorted = [...(byStart.get(start) ?? []), candidate].sort((a, b) => b.text.length - a.text.length);
  byStart.set(start, sorted);
}

function ofKnown(known: readonly string[]): ReadonlyMap<number, readonly Candidate[]> {
  if (known.length > maxKnown) throw new RangeError(`a text is packed with at most ${maxKnown} known values`);
  const byStart = new Map<number, Candidate[]>();
  for (const [index, text] of known.entries())
    if (text.length >= minKnownLength) add(byStart, { text, code: firstKnown + index });
  return byStart;
}

function findAt(
  candidates: ReadonlyMap<number, readonly Candidate[]>,
  text: string,
  from: number,
): Candidate | undefined {
  return candidates.get(text.charCodeAt(from))?.find(one => text.startsWith(one.text, from));
}

function pack(
  text: string,
  phrases: ReadonlyMap<number, readonly Candidate[]>,
  known: ReadonlyMap<number, readonly Candidate[]>,
): Buffer {
  if (!text.isWellFormed()) throw new RangeError('a text with half a surrogate pair cannot be stored');
  const bytes = Buffer.allocUnsafe(3 * text.length + 16);
  let [to, from, literalFrom] = [0, 0, 0];
  const putNumber = (value: number): void => {
    for (; value >= 128; value = Math.floor(value / 128)) bytes[to++] = (value % 128) + 128;
    bytes[to++] = value;
  };
  const endLiteral = (): void => {
    if (literalFrom === from) return;
    const characters = text.slice(literalFrom, from);
    bytes[to++] = literal;
    putNumber(Buffer.byteLength(characters));
    to += bytes.write(characters, to);
  };
  const put = (code: number, consumed: number, write?: () => void): void => {
    endLiteral();
    bytes[to++] = code;
    write?.();
    from += consumed;
    literalFrom = from;
  };
  while (from < text.length) {
    const phrase = findAt(phrases, text, from);
    const value = findAt(known, text, from);
    const candidate = phrase && phrase.text.length >= (value?.text.length ?? 0) ? phrase : value;
    if (candidate) {
      put(candidate.code, candidate.text.length);
      continue;
    }
    const digits = matchAt(hexRun, text, from);
    if (digits !== null) {
      const count = digits.length / 2;
      put(count === digestBytes ? digest : hex, digits.length, () => {
        if (count !== digestBytes) putNumber(count);
        to += bytes.write(digits, to, 'hex');
      });
      continue;
    }
    const number = from === literalFrom ? matchAt(decimalRun, text, from) : null;
    if (number !== null) put(decimal, number.length, () => putNumber(Number(number)));
    else from += 1;
  }
  endLiteral();
  return Buffer.from(bytes.subarray(0, to));
}

function matchAt(pattern: RegExp, text: string, from: number): string | null {
  pattern.lastIndex = from;
  return pattern.exec(text)?.[0] ?? null;
}

function unpack(bytes: Buffer, phrases: readonly string[], known: readonly string[]): string | null {
  let [text, from] = ['', 0];
  const takeNumber = (): number => {
    for (let [value, factor] = [0, 1]; ; factor *= 128) {
      const byte = bytes[from++];
      if (byte === undefined || factor > Number.MAX_SAFE_INTEGER) return Number.NaN;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  const takeBytes = (count: number, encoding: BufferEncoding): string | undefined => {
    if (!(from + count <= bytes.length)) return undefined;
    from += count;
    return bytes.toString(encoding, from - count, from);
  };
  const takePiece = (code: number): string | undefined => {
    if (code >= firstPhrase) return phrases[code - firstPhrase];
    if (code >= firstKnown) return known[code - firstKnown];
    if (code === literal) return takeBytes(takeNumber(), 'utf8');
    if (code === hex) return takeBytes(takeNumber(), 'hex');
    if (code === digest) return takeBytes(digestBytes, 'hex');
    const value = code === decimal ? takeNumber() : Number.NaN;
    return Number.isSafeInteger(value) ? String(value) : undefined;
  };
  while (from < bytes.length) {
    const piece = takePiece(bytes[from++] ?? literal);
    if (piece === undefined) return null;
    text += piece;
  }
  return text;
}
