// Reads multipart/form-data (RFC 7578) as it arrives: fields whole and small, file parts as blocks that are handed on
// without being copied. The order of parts is the client's; a file part must be read to its end before the next comes.
import { ApiError } from '../api/errors.ts';

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

export function parseBoundary(contentType: string | undefined): string {
  const match = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    contentType ?? '',
  );
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw new ApiError('PARAM_ERROR', 'the body must be multipart/form-data with a boundary');
  return boundary;
}

/** Bytes as they come, with what was read too far put back. */
class Incoming {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** What is at hand, or the next block; null at the end. */
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

  /** Everything before the mark; the mark itself is gone. */
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

/** Where a mark that is not whole yet may begin: from there on the bytes wait for the next block. */
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
    if (keep > 0) yield block.subarray(0, keep); // whoever takes it may free it, if that is all of the block
    if (tail.length === 0) continue;
    block = await incoming.next();
    if (block === null) throw malformed('it ends within a file');
    incoming.putBack(Buffer.concat([tail, block]));
  }
}

type PartHeader = { name: string; fileName: string | undefined; contentType: string };

function parsePartHeader(text: string): PartHeader {
  const lines = text.split('\r\n');
  const header = (name: string) =>
    lines
      .find(line => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const disposition = header('content-disposition') ?? '';
  const name = parameterOf(disposition, 'name');
  if (!/^form-data\b/i.test(disposition) || name === undefined) throw malformed('a part has no name');
  const fileName = extendedParameterOf(disposition) ?? parameterOf(disposition, 'filename');
  return { name, fileName, contentType: header('content-type') ?? 'application/octet-stream' };
}

/** Browsers write quotes and line breaks inside the value as %22, %0D and %0A. */
function parameterOf(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(header);
  const raw = match?.[1] ?? match?.[2];
  return raw
    ?.replace(/\\(["\\])/g, '$1')
    .replace(/%22/g, '"')
    .replace(/%0[Dd]/g, '\r')
    .replace(/%0[Aa]/g, '\n');
}

function extendedParameterOf(header: string): string | undefined {
  const encoded = /;\s*filename\*=UTF-8''([^\s;]+)/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw malformed('a file name is not readable');
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
  incoming.putBack(Buffer.from('\r\n')); // so that the first boundary looks like the others
  await incoming.readTo(mark, maxHeaderBytes, 'what stands before the first part');
  for (let count = 1; !(await isLast(incoming)); count += 1) {
    if (count > maxParts) throw malformed('it has too many parts');
    const head = await incoming.readTo(Buffer.from('\r\n\r\n'), maxHeaderBytes, 'the header of a part');
    const { name, fileName, contentType } = parsePartHeader(head.toString('utf8'));
    if (fileName === undefined) {
      const value = await incoming.readTo(mark, maxFieldBytes, `the field ${name}`);
      yield { kind: 'field', name, value: value.toString('utf8') };
    } else yield* filePart(incoming, mark, { name, fileName, contentType });
  }
}

async function* filePart(
  incoming: Incoming,
  mark: Buffer,
  head: { name: string; fileName: string; contentType: string },
): AsyncGenerator<FilePart> {
  const body = readBody(incoming, mark);
  yield { kind: 'file', ...head, body };
  for await (const _rest of body); // what the reader left, so that the next part is found
}
