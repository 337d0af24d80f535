// Reception of an upload: three parts in any order, each at most once and bounded, in unlinked files on disk. Rejects
// parts with other names and parts that are not files. All input is untrusted.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { isEvidenceArchive, maxEvidenceBytes } from '@recordproof/shared/evidence/evidence-archive.ts';
import { maxArchiveBytes } from '@recordproof/shared/evidence/proof-archive.ts';
import { type FilePart, readMultipart } from '@recordproof/shared/node/multipart.ts';
import { freeBlock } from '@recordproof/shared/node/whole-block.ts';
import { maxTrustedKeyBytes } from '../verify/trusted-key.ts';
import { type ErrorCode, ServiceError } from './errors.ts';
import { TempFile } from './temp-file.ts';

const names = ['original', 'proof', 'trustedKey'] as const;
type Name = (typeof names)[number];

const tooLarge: Readonly<Record<Name, ErrorCode>> = {
  original: 'ORIGINAL_TOO_LARGE',
  proof: 'PROOF_TOO_LARGE',
  trustedKey: 'TRUSTED_KEY_TOO_LARGE',
};

/** Enough to distinguish an evidence archive from a proof archive, whose limits differ. */
const startBytes = 64;
const maxEpilogueBytes = 1024;

export class Upload implements AsyncDisposable {
  readonly #files = new Map<Name, TempFile>();

  find(name: Name): TempFile | undefined {
    return this.#files.get(name);
  }

  get(name: Name): TempFile {
    const file = this.#files.get(name);
    if (file === undefined) throw new ServiceError('PART_REQUIRED');
    return file;
  }

  async receive({ name, fileName, body }: FilePart, limits: Readonly<Record<Name, number>>): Promise<void> {
    const field = names.find(candidate => candidate === name);
    if (field === undefined || this.#files.has(field)) throw new ServiceError('MULTIPART_INVALID');
    const file = await TempFile.open();
    this.#files.set(field, file);
    for await (const block of body) {
      if (file.size + block.length > limits[field]) throw new ServiceError(tooLarge[field]);
      await file.append(block);
      freeBlock(block);
    }
    if (field === 'proof' && file.size > maxArchiveBytes && !isEvidenceArchive(await file.readStart(startBytes)))
      throw new ServiceError(tooLarge.proof);
    // Forms send an empty file field in this form.
    if (fileName === '' && file.size === 0) {
      this.#files.delete(field);
      await file[Symbol.asyncDispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files.values()) await file[Symbol.asyncDispose]();
  }
}

/** Reads the form to its end. After a rejection nothing received is left. */
export async function readUpload(
  source: AsyncGenerator<Buffer>,
  boundary: string,
  maxOriginalBytes: number,
): Promise<Upload> {
  const limits = { original: maxOriginalBytes, proof: maxEvidenceBytes, trustedKey: maxTrustedKeyBytes };
  const upload = new Upload();
  try {
    for await (const part of readMultipart(source, boundary)) {
      if (part.kind !== 'file') throw new ServiceError('MULTIPART_INVALID');
      await upload.receive(part, limits);
    }
    let epilogueBytes = 0;
    for await (const block of source) {
      epilogueBytes += block.length;
      if (epilogueBytes > maxEpilogueBytes) throw new ServiceError('MULTIPART_INVALID');
    }
    upload.get('original');
    upload.get('proof');
    return upload;
  } catch (problem) {
    await upload[Symbol.asyncDispose]();
    throw problem instanceof ApiError ? new ServiceError('MULTIPART_INVALID') : problem;
  } finally {
    // Closes a body that was abandoned in the middle.
    await source.return(undefined);
  }
}
