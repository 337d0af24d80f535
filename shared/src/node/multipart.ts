// A streaming parser for multipart/form-data (RFC 7578): fields are buffered and small, file parts are passed on as
// blocks without copying. Parts come in the client's order; a file part must be read to its end before the next one.
import { ApiError } from '../api/errors.ts';
import { parseUtf8 } from '../evidence/digest.ts';

type FieldPart = { readonly kind: 'field'; readonly name: string; readonly value: string };
export type FilePart = {
  readonly kind: 'file';
  readonly name: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly body: AsyncIterable<Buffer>;
};
export type FormPart = FieldPart | FilePart;

const maxHeaderBytes = 8 * 1024;

type FormLimits = { readonly maxFieldBytes: number; readonly maxParts: number };
const usualLimits: FormLimits = { maxFieldBytes: 8 * 1024, maxParts: 32 };
const carriageReturn = 0x0d;

const malformed = (why: string): ApiError => new ApiError('BAD_REQUEST', `the form is malformed: ${why}`);

const parameter = /;\s*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*/y;

/**
 * Parameters after the first word of a header; text within quotation marks is not parsed for parameters. Browsers
 * encode quotes and line breaks there as %22, %0D and %0A. Returns null if the header is ambiguous.
 */
function parseParameters(header: string): Map<string, string> | null {
  const found = new Map<string, string>();
  const begin = /^[^\s;]*\s*/.exec(header)?.[0].length ?? 0;
  parameter.lastIndex = begin;
  let end = begin;
  for (let match = parameter.exec(header); match !== null; match = parameter.exec(header)) {
    const [, written = '', quoted, plain = ''] = match;
    const name = written.toLowerCase();
    if (found.has(name)) return null;
    found.set(name, withoutEscapes(quoted ?? plain));
    end = parameter.lastIndex;
  }
  return /^;?\s*$/.test(header.slice(end)) ? found : null;
}

const withoutEscapes = (raw: string): string =>
  raw
    .replace(/\\(["\\])/g, '$1')
    .replace(/%22/g, '"')
    .replace(/%0[Dd]/g, '\r')
    .replace(/%0[Aa]/g, '\n');

export function parseBoundary(contentType = ''): string {
  const boundary = /^multipart\/form-data\b/i.test(contentType) && parseParameters(contentType)?.get('boundary');
  if (!boundary || boundary.length > 70)
    throw new ApiError('PARAM_ERROR', 'the body must be multipart/form-data with a boundary');
  return boundary;
}

/** A byte stream with pushback. */
class Incoming {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Buffered bytes, or the next block; null at the end. */
  async next(): Promise<Buffer | null> {
    if (this.#held.length > 0) {
      const block = this.#held;
      this.#held = Buffer.alloc(0);
      return block;
    }
    const { value, done } = await this.#source.next();
    return done ? null : value;
  }

  putBack(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([bytes, this.#held]);
  }

  /** Everything before the delimiter, which is consumed. */
  async readTo(mark: Buffer, maxBytes: number, what: string): Promise<Buffer> {
    let bytes: Buffer = Buffer.alloc(0);
    for (;;) {
      const block = await this.next();
      if (block === null) throw malformed(`it ends within ${what}`);
      bytes = bytes.length === 0 ? block : Buffer.concat([bytes, block]);
      const at = bytes.indexOf(mark);
      if (at >= 0 && at <= maxBytes) {
        this.putBack(bytes.subarray(at + mark.length));
        return bytes.subarray(0, at);
      }
      if (bytes.length > maxBytes + mark.length) throw malformed(`${what} is too long`);
    }
  }
}

/** Where an incomplete delimiter may begin: the bytes from there on wait for the next block. */
function partialMarkAt(block: Buffer, mark: Buffer): number {
  const from = Math.max(0, block.length - mark.length + 1);
  for (let at = block.indexOf(carriageReturn, from); at >= 0; at = block.indexOf(carriageReturn, at + 1)) {
    if (block.compare(mark, 0, block.length - at, at) === 0) return at;
  }
  return block.length;
}

async function* readBody(incoming: Incoming, mark: Buffer): AsyncGenerator<Buffer> {
  for (;;) {
    let block = await incoming.next();
    if (block === null) throw malformed('it ends within a file');
    const at = block.indexOf(mark);
    if (at >= 0) {
      incoming.putBack(block.subarray(at + mark.length));
      if (at > 0) yield block.subarray(0, at);
      return;
    }
    const keep = partialMarkAt(block, mark);
    const tail = block.subarray(keep);
    if (keep > 0) yield block.subarray(0, keep); // the consumer may free it if it is a whole block
    if (tail.length === 0) continue;
    block = await incoming.next();
    if (block === null) throw malformed('it ends within a file');
    incoming.putBack(Buffer.concat([tail, block]));
  }
}

type PartHeader = { name: string; fileName: string | undefined; contentType: string };

function parsePartHeader(text: string): PartHeader {
  const disposition = headerOf(text, 'content-disposition') ?? '';
  const parameters = /^form-data\b/i.test(disposition) ? parseParameters(disposition) : new Map<string, string>();
  if (parameters === null) throw malformed('a part says of itself what cannot be read in one way only');
  const name = parameters.get('name');
  if (name === undefined) throw malformed('a part has no name');
  const fileName = parseExtended(parameters.get('filename*')) ?? parameters.get('filename');
  return { name, fileName, contentType: headerOf(text, 'content-type') ?? 'application/octet-stream' };
}

function headerOf(text: string, name: string): string | undefined {
  const [line, another] = text.split('\r\n').filter(line => line.toLowerCase().startsWith(`${name}:`));
  if (another !== undefined) throw malformed(`a part has two headers ${name}`);
  return line?.slice(name.length + 1).trim();
}

/** RFC 8187. */
function parseExtended(value: string | undefined): string | undefined {
  const encoded = /^UTF-8'[^']*'(.+)$/i.exec(value ?? '')?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw malformed('a file name is not readable');
  }
}

function toText(bytes: Buffer, what: string): string {
  try {
    return parseUtf8(bytes);
  } catch {
    throw malformed(`${what} is not UTF-8`);
  }
}

const dashDash = 0x2d;

async function isLast(incoming: Incoming): Promise<boolean> {
  let bytes: Buffer = Buffer.alloc(0);
  while (bytes.length < 2) {
    const block = await incoming.next();
    if (block === null) throw malformed('it has no end');
    bytes = Buffer.concat([bytes, block]);
  }
  incoming.putBack(bytes.subarray(2));
  if (bytes[0] === dashDash && bytes[1] === dashDash) return true;
  if (bytes.toString('latin1', 0, 2) !== '\r\n') throw malformed('a boundary is followed by something else');
  return false;
}

export async function* readMultipart(
  source: AsyncIterable<Buffer>,
  boundary: string,
  { maxFieldBytes, maxParts } = usualLimits,
): AsyncGenerator<FormPart> {
  const incoming = new Incoming(source);
  const mark = Buffer.from(`\r\n--${boundary}`);
  incoming.putBack(Buffer.from('\r\n')); // so that the first boundary has the form of the others
  await incoming.readTo(mark, maxHeaderBytes, 'the preamble before the first part');
  const fields = new Set<string>();
  for (let count = 1; !(await isLast(incoming)); count += 1) {
    if (count > maxParts) throw malformed('it has too many parts');
    const head = await incoming.readTo(Buffer.from('\r\n\r\n'), maxHeaderBytes, 'the header of a part');
    const { name, fileName, contentType } = parsePartHeader(toText(head, 'the header of a part'));
    if (fileName !== undefined) yield* filePart(incoming, mark, { name, fileName, contentType });
    else if (fields.has(name)) throw malformed(`the field ${name} occurs twice`);
    else {
      fields.add(name);
      const value = await incoming.readTo(mark, maxFieldBytes, `the field ${name}`);
      yield { kind: 'field', name, value: toText(value, `the field ${name}`) };
    }
  }
}

async function* filePart(
  incoming: Incoming,
  mark: Buffer,
  head: { name: string; fileName: string; contentType: string },
): AsyncGenerator<FilePart> {
  const body = readBody(incoming, mark);
  yield { kind: 'file', ...head, body };
  for await (const _rest of body); // skips what the reader left unread
}
