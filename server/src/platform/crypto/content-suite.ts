// Content encryption suite RP-AES256-GCM-CHUNK-CHAIN-V1: seals and opens one chunk, as streams. The byte layout is in
// docs/spec/content-encryption.md, whose sections are cited below. Never yields an unauthenticated byte, and never ends
// cleanly on a chunk that was truncated, spliced or altered.
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, KeyObject, randomBytes } from 'node:crypto';
import { BlockReader, type ByteSource } from './block-reader.ts';

export const contentSuite = 'RP-AES256-GCM-CHUNK-CHAIN-V1';
export const frameBytes = 1024 * 1024;
export const headerBytes = 48;
export const tagBytes = 16;
const fileNonceBytes = 16;
const dataKeyBytes = 32;

const magic = Buffer.from('RPCHUNK\x01', 'latin1');
const sealNonceBytes = 16;
const sealedFrameBytes = frameBytes + tagBytes;
const maxCount = 0xffff_ffff;
const maxFrames = 2 ** 31;

export type FileKey = { readonly dataKey: KeyObject; readonly fileNonce: Uint8Array };

/** Identifies a chunk and its file; bound into every frame. */
export type ChunkContext = FileKey & { readonly tenantId: string; readonly index: number; readonly count: number };

type ContentErrorKind = 'MALFORMED' | 'WRONG_CHUNK' | 'TRUNCATED' | 'NOT_AUTHENTIC';

export class ContentError extends Error {
  readonly kind: ContentErrorKind;

  constructor(kind: ContentErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ContentError';
    this.kind = kind;
  }
}

export function newFileKey(): FileKey {
  const bytes = randomBytes(dataKeyBytes);
  const dataKey = createSecretKey(bytes);
  bytes.fill(0);
  return { dataKey, fileNonce: randomBytes(fileNonceBytes) };
}

/** Section 4: the sealed length depends only on the plaintext length. */
export const toSealedSize = (plainBytes: number): number =>
  headerBytes + plainBytes + tagBytes * toFrameCount(plainBytes);

const toFrameCount = (plainBytes: number): number => Math.max(1, Math.ceil(plainBytes / frameBytes));

/** Throws for a length that no sealed chunk can have. */
export function toPlainSize(sealedBytes: number): number {
  const body = sealedBytes - headerBytes;
  const plainBytes = body - tagBytes * Math.ceil(body / sealedFrameBytes);
  if (!Number.isSafeInteger(sealedBytes) || plainBytes < 0 || toSealedSize(plainBytes) !== sealedBytes) {
    throw new ContentError('TRUNCATED', `no sealed chunk has ${sealedBytes} bytes`);
  }
  return plainBytes;
}

const toUint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

function checkContext(context: ChunkContext): void {
  const { dataKey, fileNonce, index, count, tenantId } = context;
  const sound =
    dataKey instanceof KeyObject &&
    dataKey.symmetricKeySize === dataKeyBytes &&
    fileNonce.length === fileNonceBytes &&
    Number.isInteger(index) &&
    Number.isInteger(count) &&
    index >= 0 &&
    index < count &&
    count <= maxCount &&
    tenantId !== '' &&
    tenantId.isWellFormed();
  if (!sound)
    throw new TypeError('a chunk needs a 32-byte key, a 16-byte nonce, a tenant, and an index below its count');
}

/** Section 3. */
function toHeader(context: ChunkContext, sealNonce: Uint8Array): Buffer {
  return Buffer.concat([magic, context.fileNonce, toUint32(context.index), toUint32(context.count), sealNonce]);
}

/**
 * Section 2: the key depends on tenant, index, count and the random seal nonce; sealing a chunk twice never reuses one.
 */
function toChunkKey(context: ChunkContext, sealNonce: Uint8Array): KeyObject {
  const suite = Buffer.from(contentSuite, 'latin1');
  const tenant = Buffer.from(context.tenantId, 'utf8');
  const position = [toUint32(context.index), toUint32(context.count)];
  const info = Buffer.concat([toUint32(suite.length), suite, toUint32(tenant.length), tenant, ...position, sealNonce]);
  const bytes = Buffer.from(hkdfSync('sha256', context.dataKey, context.fileNonce, info, dataKeyBytes));
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}

/** Section 5. */
function toFrameNonce(frame: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt8(isLast ? 1 : 0, 7);
  nonce.writeUInt32BE(frame, 8);
  return nonce;
}

const toFrameAad = (header: Buffer, frame: number, isLast: boolean): Buffer =>
  Buffer.concat([Buffer.from(contentSuite, 'latin1'), header, toUint32(frame), Buffer.of(isLast ? 1 : 0)]);

type SealOptions = {
  /** Only to seal the same plaintext into the same bytes again: with any other plaintext it breaks the cipher. */
  readonly sealNonce?: Uint8Array;
  /** The source's blocks are owned: they are freed once sealed or opened. */
  readonly ownsBlocks?: boolean;
};

/** The nonce at the end of a sealed chunk's header. */
export const sealNonceOf = (header: Uint8Array): Uint8Array =>
  header.subarray(headerBytes - sealNonceBytes, headerBytes);

/** Seals a stream of any length. Blocks are yielded as they arrived; at most one frame is held. */
export async function* sealChunk(
  context: ChunkContext,
  source: ByteSource,
  { sealNonce = randomBytes(sealNonceBytes), ownsBlocks = false }: SealOptions = {},
): AsyncGenerator<Buffer, void, void> {
  checkContext(context);
  const header = toHeader(context, sealNonce);
  const key = toChunkKey(context, sealNonce);
  await using reader = new BlockReader(source, { ownsBlocks });
  yield Buffer.from(header); // a copy, because the consumer may free it
  for (let frame = 0; ; frame += 1) {
    if (frame >= maxFrames) throw new ContentError('MALFORMED', 'the chunk has too many frames');
    const blocks = await reader.read(frameBytes);
    const isLast = await reader.isAtEnd();
    const cipher = createCipheriv('aes-256-gcm', key, toFrameNonce(frame, isLast));
    cipher.setAAD(toFrameAad(header, frame, isLast));
    for (const block of blocks) yield cipher.update(block);
    cipher.final();
    yield cipher.getAuthTag();
    if (isLast) return;
  }
}

/**
 * Opens a whole sealed chunk. Each frame is yielded after its tag was verified; a truncated chunk throws at its end.
 */
export async function* openChunk(
  context: ChunkContext,
  source: ByteSource,
  { ownsBlocks = false }: Pick<SealOptions, 'ownsBlocks'> = {},
): AsyncGenerator<Buffer, void, void> {
  checkContext(context);
  await using reader = new BlockReader(source, { ownsBlocks });
  const opener = await readHeader(context, reader);
  for (let frame = 0; ; frame += 1) {
    const blocks = await reader.read(sealedFrameBytes);
    const isLast = await reader.isAtEnd();
    const opened = opener.openFrame(blocks, frame, isLast);
    reader.release();
    yield* opened;
    if (isLast) return;
  }
}

type SealedChunk = {
  /** Length of the whole sealed chunk, from a more trusted source than the store. */
  readonly sealedBytes: number;
  /** Reads the stored bytes from `start` (inclusive) to `end` (exclusive). */
  read(start: number, end: number): ByteSource | Promise<ByteSource>;
};

/**
 * Opens plaintext bytes from `start` (inclusive) to `end` (exclusive), reading only the header and the frames with
 * them.
 */
export async function* openChunkRange(
  context: ChunkContext,
  chunk: SealedChunk,
  range: { readonly start: number; readonly end: number },
): AsyncGenerator<Buffer, void, void> {
  checkContext(context);
  const { start, end } = range;
  const plainBytes = toPlainSize(chunk.sealedBytes);
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || start > end || end > plainBytes) {
    throw new RangeError(`bytes ${start} to ${end} do not lie inside a chunk of ${plainBytes} bytes`);
  }
  if (start === end) return;
  const frames = toFrameCount(plainBytes);
  const first = Math.floor(start / frameBytes);
  const last = Math.floor((end - 1) / frameBytes);
  await using head = new BlockReader(await chunk.read(0, headerBytes));
  const opener = await readHeader(context, head);
  const bodyEnd = Math.min(chunk.sealedBytes, headerBytes + (last + 1) * sealedFrameBytes);
  await using body = new BlockReader(await chunk.read(headerBytes + first * sealedFrameBytes, bodyEnd));
  for (let frame = first; frame <= last; frame += 1) {
    const opened = opener.openFrame(await body.read(sealedFrameBytes), frame, frame === frames - 1);
    body.release();
    yield* slice(opened, start - frame * frameBytes, end - frame * frameBytes);
  }
}

function* slice(blocks: Iterable<Buffer>, start: number, end: number): Generator<Buffer, void, void> {
  let position = 0;
  for (const block of blocks) {
    const part = block.subarray(Math.max(0, start - position), Math.max(0, end - position));
    if (part.length > 0) yield part;
    position += block.length;
  }
}

/** The header is only compared here; the frames authenticate it. */
async function readHeader(context: ChunkContext, reader: BlockReader): Promise<FrameOpener> {
  const header = Buffer.concat(await reader.read(headerBytes));
  if (header.length < headerBytes) throw new ContentError('TRUNCATED', 'the chunk ends inside its header');
  if (!header.subarray(0, magic.length).equals(magic))
    throw new ContentError('MALFORMED', 'these bytes are no sealed chunk');
  const sealNonce = header.subarray(headerBytes - sealNonceBytes);
  if (!header.equals(toHeader(context, sealNonce))) {
    throw new ContentError('WRONG_CHUNK', 'the sealed chunk belongs to another file or another position in it');
  }
  return new FrameOpener(toChunkKey(context, sealNonce), header);
}

class FrameOpener {
  readonly #key: KeyObject;
  readonly #header: Buffer;

  constructor(key: KeyObject, header: Buffer) {
    this.#key = key;
    this.#header = header;
  }

  openFrame(blocks: readonly Uint8Array[], frame: number, isLast: boolean): Buffer[] {
    const bytes = blocks.reduce((sum, block) => sum + block.length, 0);
    // Only the first frame may be empty, in an empty chunk.
    if (bytes < tagBytes || (bytes === tagBytes && frame > 0))
      throw new ContentError('TRUNCATED', `frame ${frame} is cut`);
    if (frame >= maxFrames) throw new ContentError('MALFORMED', 'the chunk has too many frames');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, toFrameNonce(frame, isLast), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(toFrameAad(this.#header, frame, isLast));
    decipher.setAuthTag(Buffer.concat(takeLast(blocks, tagBytes)));
    const opened = [...slice(blocks.map(toBuffer), 0, bytes - tagBytes)].map(block => decipher.update(block));
    try {
      decipher.final();
    } catch (error) {
      throw new ContentError('NOT_AUTHENTIC', `frame ${frame} was altered, moved or cut`, error);
    }
    return opened;
  }
}

const toBuffer = (block: Uint8Array): Buffer => Buffer.from(block.buffer, block.byteOffset, block.byteLength);

function takeLast(blocks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  const taken: Uint8Array[] = [];
  let remaining = bytes;
  for (let index = blocks.length - 1; index >= 0 && remaining > 0; index -= 1) {
    const part = blocks[index]?.subarray(-remaining) ?? new Uint8Array();
    taken.unshift(part);
    remaining -= part.length;
  }
  return taken;
}
