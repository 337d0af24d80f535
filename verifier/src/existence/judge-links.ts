// Checks on the links from a file's bytes to the checkpoint: the file matches the archive, a ledger entry covers this
// archive, and the entry is in the tree of the checkpoint. Every step is a hash computed here.
import { digestOf, toHex } from '@recordproof/shared/evidence/digest.ts';
import {
  digestProofId,
  entryTransactionHash,
  findLedgerEntry,
  type LedgerEntry,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import { hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { isProofOf, parseTlogProof } from '@recordproof/shared/evidence/tlog-proof.ts';
import { type CaseFile, valueIn } from '../verify/case-file.ts';
import { hashContent, OriginalTooLargeError } from '../verify/hash-content.ts';
import { decideOutcome, decidingChecks } from '../verify/report.ts';
import { judgeLocally } from '../verify/verify-proof.ts';
import type { ExistenceInput, ExistencePlatform } from './existence-input.ts';
import { type Link, link } from './existence-report.ts';

type TlogProof = ReturnType<typeof parseTlogProof>;

export type Linked = {
  readonly links: readonly Link[];
  readonly content?: { readonly hash: Uint8Array; readonly sizeBytes: number } | undefined;
  readonly file?: CaseFile | undefined;
  readonly proof?: TlogProof | undefined;
  readonly entry?: LedgerEntry | undefined;
  /** The file is linked to the root of the checkpoint. */
  readonly isLinked: boolean;
};

export async function judgeLinks(input: ExistenceInput, platform: ExistencePlatform): Promise<Linked> {
  const { file, content, links: first } = await judgeArchive(input, platform);
  const { proof, entry, links: second } = judgeEntry(input, file);
  const links = [...first, ...second];
  return { links, content, file, proof, entry, isLinked: links.every(({ standing }) => standing === 'HOLDS') };
}

async function judgeArchive(input: ExistenceInput, platform: ExistencePlatform) {
  const { archive, original, maxOriginalBytes, local } = input;
  if (archive === undefined) {
    const read = await readOriginal(input, platform);
    const why = input.isEvidenceDamaged
      ? link('ARCHIVE', 'EVIDENCE_DAMAGED', 'The evidence archive is not an unchanged one.')
      : link('ARCHIVE', 'ARCHIVE_ABSENT', 'There is no proof archive, so nothing leads from the file to a checkpoint.');
    return { ...read, file: undefined, links: [read.link, why] };
  }
  const { file, checks } = local ?? (await judgeLocally({ archive, original, maxOriginalBytes }, platform));
  const content = valueIn(file.content);
  const outcome = decideOutcome(checks);
  // Its plan was unreadable, so the original was not read.
  const read = valueIn(file.chunks) === undefined ? await readOriginal(input, platform) : toContent(file);
  const [deciding] = decidingChecks({ outcome, checks });
  if (outcome === 'VALID' && content !== undefined) {
    const holds = link('ARCHIVE', 'OK', 'The archive is sound, and it is about this file.');
    return { ...read, file, links: [read.link, holds] };
  }
  const code = outcome === 'INVALID' ? 'ARCHIVE_CONTRADICTED' : 'ARCHIVE_DAMAGED';
  const message = `${deciding?.message ?? 'The archive could not be checked.'} (${deciding?.code ?? 'NOT_RUN'})`;
  return { ...read, file: undefined, links: [read.link, link('ARCHIVE', code, message)] };
}

type ReadOriginal = Pick<Linked, 'content'> & { readonly link: Link };

const readOk = (hash: Uint8Array, sizeBytes: number): ReadOriginal => ({
  content: { hash, sizeBytes },
  link: link('FILE', 'OK', `The file has the SHA-256 ${toHex(hash)}.`),
});

function toContent({ content }: CaseFile): ReadOriginal {
  if ('value' in content) return readOk(content.value.contentHash, content.value.size);
  const code = content.problem.code === 'ORIGINAL_TOO_LARGE' ? 'ORIGINAL_TOO_LARGE' : 'ORIGINAL_UNREADABLE';
  return { content: undefined, link: link('FILE', code, content.problem.message) };
}

async function readOriginal(input: ExistenceInput, platform: ExistencePlatform): Promise<ReadOriginal> {
  const plan = { chunkSize: Number.MAX_SAFE_INTEGER, chunkCount: 1, maxBytes: input.maxOriginalBytes };
  try {
    const { contentHash, size } = await hashContent(input.original, plan, platform);
    return readOk(contentHash, size);
  } catch (problem) {
    const isTooLarge = problem instanceof OriginalTooLargeError;
    const why = isTooLarge
      ? link('FILE', 'ORIGINAL_TOO_LARGE', 'The file is larger than this verifier accepts.')
      : link('FILE', 'ORIGINAL_UNREADABLE', 'The file could not be read to its end.');
    return { content: undefined, link: why };
  }
}

function judgeEntry(input: ExistenceInput, file: CaseFile | undefined) {
  const stop = (code: Parameters<typeof link>[1], message: string, proof?: TlogProof) => ({
    proof,
    entry: undefined,
    links: [link('ENTRY', code, message), link('PATH', 'NOT_RUN', 'An earlier step is missing.')],
  });
  if (input.tlogProof === undefined) return stop('TLOG_PROOF_ABSENT', 'There is no proof of an entry of the ledger.');
  const proof = readProof(input.tlogProof);
  if (proof === undefined) return stop('TLOG_PROOF_DAMAGED', 'The proof of the entry cannot be read.');
  const { extra } = proof;
  if (extra === undefined) return stop('ENTRY_ABSENT', 'The proof does not hold the entry.', proof);
  const isIncluded = isProofOf(hashLeaf(extra), proof);
  const path = isIncluded
    ? link('PATH', 'OK', `The entry is in the tree of the checkpoint, at position ${proof.index}.`)
    : link('PATH', 'PATH_MISMATCH', 'The path of the entry does not lead to the root of the checkpoint.');
  const entry = findLedgerEntry(extra);
  if (entry === undefined)
    return { ...{ proof, entry }, links: [link('ENTRY', 'ENTRY_DAMAGED', 'The entry cannot be read.'), path] };
  return { proof, entry, links: [judgeSubject(entry, extra, file), path] };
}

/** The entry covers this archive: its manifest, or the batch that contains the manifest of the file. */
function judgeSubject(entry: LedgerEntry, bytes: Uint8Array, file: CaseFile | undefined): Link {
  if (file === undefined) return link('ENTRY', 'NOT_RUN', 'An earlier step is missing.');
  const [archive, manifest] = [valueIn(file.archive), valueIn(file.manifest)];
  const [merkle, receipt] = [valueIn(file.merkle), valueIn(file.receipt)];
  if (entry.kind === 'PROOF_ISSUED' && archive !== undefined) {
    const isOwn =
      entry.proofIdSha256 === digestProofId(manifest?.proofId ?? '') &&
      entry.manifestSha256 === digestOf(archive['manifest.json']);
    if (isOwn) return link('ENTRY', 'OK', 'The entry holds the SHA-256 of the manifest of this proof.');
  }
  if (entry.kind === 'BATCH_ROOT') {
    const { batchTransactionHash = entryTransactionHash(bytes) } = receipt ?? {};
    const isOwn =
      entry.batchNo === manifest?.batchNo &&
      entry.merkleRoot === merkle?.merkleRoot &&
      entry.treeSize === merkle?.treeSize &&
      batchTransactionHash === entryTransactionHash(bytes);
    if (isOwn) return link('ENTRY', 'OK', 'The entry holds the root of the batch that the file is in.');
  }
  return link('ENTRY', 'ENTRY_OF_OTHER_PROOF', 'The entry is about another proof or another batch.');
}

function readProof(bytes: Uint8Array | 'UNREADABLE'): TlogProof | undefined {
  if (bytes === 'UNREADABLE') return undefined;
  try {
    return parseTlogProof(bytes);
  } catch {
    return undefined;
  }
}
