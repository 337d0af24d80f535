// Worker thread that reads the files of stored chunks, verifies each and digests the content. It reads synchronously
// into a few fixed buffers, which keeps copying, garbage and blocking off the main thread.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { answerQuestions } from '@recordproof/shared/node/threads.ts';
import { freeBlock } from '@recordproof/shared/node/whole-block.ts';
import { type ChunkContext, openChunk } from '../crypto/content-suite.ts';
import { footerBytes, parseFooter } from '../objects/disk-layout.ts';
import { toStamp } from '../objects/disk-reads.ts';
import { ObjectStoreError } from '../objects/object-store.ts';
import { type Imprint, ImprintCheck } from './imprint.ts';
import { toFailure } from './thread-failure.ts';

export type ChunkProof =
  | { readonly sha256: string; readonly imprint?: Imprint | undefined }
  | { readonly sealed: ChunkContext };

export type ContentTask =
  | {
      readonly kind: 'add';
      readonly digest: number;
      readonly path: string;
      readonly size: number;
      readonly proof: ChunkProof;
    }
  | { readonly kind: 'finish' | 'drop'; readonly digest: number };

export type ContentAnswer =
  | { readonly kind: 'read'; readonly etag: string; readonly stamp: string }
  | { readonly kind: 'digest'; readonly hex: string }
  | { readonly kind: 'dropped' };

// A frame being decrypted spans two blocks, and one more may be read ahead.
const blocks = Array.from({ length: 4 }, () => Buffer.allocUnsafeSlow(1024 * 1024));
const digests = new Map<number, Hash>();

function* readBlocks(fd: number, size: number): Generator<Uint8Array, void, void> {
  let turn = 0;
  for (let position = 0; position < size; turn += 1) {
    const block = blocks[turn % blocks.length] as Buffer;
    const read = readSync(fd, block, 0, Math.min(block.length, size - position), position);
    if (read === 0) throw new ObjectStoreError('CORRUPT', 'a stored object became shorter while it was read');
    yield block.subarray(0, read);
    position += read;
  }
}

function readFooter(fd: number, fileBytes: number): { readonly size: number; readonly sha256: string } {
  const footer = Buffer.alloc(footerBytes);
  const read = readSync(fd, footer, 0, footerBytes, Math.max(0, fileBytes - footerBytes));
  return parseFooter(footer.subarray(0, read), fileBytes);
}

type Add = Extract<ContentTask, { kind: 'add' }>;
type Plain = Extract<ChunkProof, { sha256: string }>;

async function add(whole: Hash, { path, size, proof }: Add): Promise<ContentAnswer> {
  const fd = openSync(path, 'r');
  try {
    const before = fstatSync(fd, { bigint: true });
    const { size: stored, sha256 } = readFooter(fd, Number(before.size));
    if (stored !== size)
      throw new ObjectStoreError('LENGTH_MISMATCH', `a stored chunk has ${stored} bytes instead of ${size}`);
    if ('sealed' in proof) await digestSealed(whole, fd, size, proof.sealed);
    else digestPlain(whole, fd, size, proof);
    return { kind: 'read', etag: sha256, stamp: toStamp(before) };
  } finally {
    closeSync(fd);
  }
}

/** An imprint saves the second digest; without one the bytes are compared with their SHA-256. */
function digestPlain(whole: Hash, fd: number, size: number, { sha256, imprint }: Plain): void {
  const part = imprint ? new ImprintCheck(imprint) : createHash('sha256');
  for (const block of readBlocks(fd, size)) {
    part.update(block);
    whole.update(block);
  }
  const isSame = part instanceof ImprintCheck ? part.isSame() : part.digest('hex') === sha256;
  if (!isSame) throw new ObjectStoreError('CORRUPT', 'the stored bytes differ from the received ones');
}

async function digestSealed(whole: Hash, fd: number, size: number, context: ChunkContext): Promise<void> {
  for await (const block of openChunk(context, readBlocks(fd, size))) {
    whole.update(block);
    freeBlock(block);
  }
}

async function perform(task: ContentTask): Promise<ContentAnswer> {
  const whole = digests.get(task.digest) ?? createHash('sha256');
  if (task.kind === 'add') {
    digests.set(task.digest, whole);
    return add(whole, task);
  }
  digests.delete(task.digest);
  return task.kind === 'finish' ? { kind: 'digest', hex: whole.digest('hex') } : { kind: 'dropped' };
}

// Parts of a digest must not overlap, and the buffers are shared.
answerQuestions<ContentTask, ContentAnswer>({ perform, toFailure, isSequential: true });
