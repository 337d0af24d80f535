// Reader of a proof's case file, the first of two steps of a verification: everything is read as far as possible, and
// defects are kept as findings of their check. Malformed input never throws; an exception is a bug, and fails only its
// own check.
import { canonicalBytes, type JsonValue } from '@recordproof/shared/evidence/canonical-json.ts';
import { isSameBytes } from '@recordproof/shared/evidence/digest.ts';
import { toProofArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { parseJws } from '@recordproof/shared/evidence/jws.ts';
import { type ProofEntryName, readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import {
  type ProofChunks,
  readMerkleProof,
  readProofChunks,
  readProofManifest,
  readReceipt,
} from '@recordproof/shared/evidence/proof-entries.ts';
import { ArchiveError } from '@recordproof/shared/evidence/stored-zip.ts';
import { parseStrictJson, StrictJsonError } from '@recordproof/shared/evidence/strict-json.ts';
import { type Reader, ShapeError } from '@recordproof/shared/evidence/strict-shape.ts';
import { type CaseFile, type Reading, type Unreadable, type VerificationRequest, valueIn } from './case-file.ts';
import type { CheckId, JsonCheckId } from './check-codes.ts';
import { hashContent, OriginalTooLargeError } from './hash-content.ts';
import { found, notRun } from './report.ts';
import { parseTrustedKey, type TrustedKey } from './trusted-key.ts';
import type { VerifierPlatform } from './verifier-platform.ts';

export async function readCase(request: VerificationRequest, platform: VerifierPlatform): Promise<CaseFile> {
  const archive = orBroken(() => readArchive(request.archive));
  const json = <T, Id extends JsonCheckId>(id: Id, read: Reader<T>) => orBroken(() => readEntry(archive, id, read));
  const chunks = json('json.chunk-manifest.json', readProofChunks);
  const { trustedKey } = request;
  return {
    platform,
    archive,
    manifest: json('json.manifest.json', readProofManifest),
    chunks,
    merkle: json('json.merkle-proof.json', readMerkleProof),
    receipt: json('json.blockchain-receipt.json', readReceipt),
    // Its content is fixed; policy.contract compares it byte for byte.
    policy: json('json.verification-policy.json', value => value),
    jws: orBroken(() => readJws(archive)),
    content: await readOriginal(request, valueIn(chunks), platform),
    trustedKey: trustedKey && orBroken(() => readTrustedKey(trustedKey)),
  };
}

function orBroken<T, Id extends CheckId>(read: () => Reading<T, Id>): Reading<T, Id> {
  try {
    return read();
  } catch {
    return { problem: broken };
  }
}

export const broken = found('CHECK_FAILED', 'This check could not be finished safely.');

function readArchive(archive: Uint8Array | Unreadable): CaseFile['archive'] {
  if (archive === 'UNREADABLE') return { problem: found('ARCHIVE_UNREADABLE', 'The proof archive could not be read.') };
  try {
    return { value: readProofArchive(toProofArchive(archive)) };
  } catch (problem) {
    if (!(problem instanceof ArchiveError)) throw problem;
    return { problem: found(problem.code, `This is not an unchanged proof archive: ${problem.message}.`) };
  }
}

/** Strict JSON with exactly the fields of its schema, then canonical form. */
function readEntry<T, Id extends JsonCheckId>(
  archive: CaseFile['archive'],
  id: Id,
  read: Reader<T>,
): Reading<T, JsonCheckId> {
  const entries = valueIn(archive);
  if (entries === undefined) return { problem: notRun('archive.structure') };
  const name = id.slice('json.'.length) as ProofEntryName;
  try {
    const value: JsonValue = parseStrictJson(entries[name]);
    const shaped = read(value, '');
    if (isSameBytes(canonicalBytes(value), entries[name])) return { value: shaped };
    return { problem: found('JSON_NOT_CANONICAL', `${name} is not written in canonical form.`) };
  } catch (problem) {
    if (problem instanceof ShapeError) return { problem: found('JSON_SHAPE', `${name}: ${problem.message}.`) };
    // The archive limits entries to the size limit of JSON, so this is a bug.
    if (!(problem instanceof StrictJsonError) || problem.code === 'JSON_TOO_LARGE') throw problem;
    return { problem: found(problem.code, `${name}: ${problem.message}.`) };
  }
}

function readJws(archive: CaseFile['archive']): CaseFile['jws'] {
  const entries = valueIn(archive);
  if (entries === undefined) return { problem: notRun('archive.structure') };
  try {
    return { value: parseJws(entries['issuer-signature.jws']) };
  } catch {
    return { problem: found('JWS_MALFORMED', 'issuer-signature.jws is not a signature of the required form.') };
  }
}

/** Not read if there is nothing to compare it with. */
async function readOriginal(
  { original, maxOriginalBytes }: VerificationRequest,
  chunks: ProofChunks | undefined,
  platform: VerifierPlatform,
): Promise<CaseFile['content']> {
  if (chunks === undefined) return { problem: notRun('json.chunk-manifest.json') };
  const { chunkSize, chunkCount } = chunks;
  try {
    return { value: await hashContent(original, { chunkSize, chunkCount, maxBytes: maxOriginalBytes }, platform) };
  } catch (problem) {
    if (!(problem instanceof OriginalTooLargeError))
      return { problem: found('ORIGINAL_UNREADABLE', 'The original file could not be read to its end.') };
    const evidence = { limit: maxOriginalBytes };
    return {
      problem: found('ORIGINAL_TOO_LARGE', 'The original file is larger than this verifier accepts.', evidence),
    };
  }
}

function readTrustedKey(bytes: Uint8Array | Unreadable): Reading<TrustedKey, 'signature.key'> {
  if (bytes === 'UNREADABLE')
    return { problem: found('TRUSTED_KEY_UNREADABLE', 'The trusted key file could not be read.') };
  try {
    return { value: parseTrustedKey(bytes) };
  } catch (problem) {
    if (!(problem instanceof StrictJsonError) && !(problem instanceof ShapeError)) throw problem;
    return { problem: found('TRUSTED_KEY_INVALID', `The trusted key file cannot be used: ${problem.message}.`) };
  }
}
