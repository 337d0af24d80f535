// The engine in a worker, so that the page stays responsive. Reads the original in blocks; memory does not grow with
// it. Sends only progress, queries and the report, and only to the page.
import { maxEvidenceBytes } from '@recordproof/shared/evidence/evidence-archive.ts';
import { describeExistence } from '../../existence/describe-existence.ts';
import { judgeExistence } from '../../existence/judge-existence.ts';
import { joinEvidence, unpackProofFile } from '../../existence/unpack-evidence.ts';
import type { Unreadable } from '../../verify/case-file.ts';
import type { LiveEvidence } from '../../verify/live-evidence.ts';
import { maxTrustedKeyBytes } from '../../verify/trusted-key.ts';
import { verifyCase } from '../../verify/verify-proof.ts';
import { browserPlatform, openExistencePlatform } from '../browser-platform.ts';
import { askOrigin } from './ask-origin.ts';
import { askThrough } from './live-port.ts';
import type { ForWorker, FromWorker, Unable } from './messages.ts';
import { readSorted } from './sort-files.ts';

const blockBytes = 4 * 1024 * 1024;
const progressMillis = 100;
const maxOriginalBytes = Number.MAX_SAFE_INTEGER;

const post = (message: FromWorker): void => globalThis.postMessage(message);

async function* readBlocks(file: File): AsyncGenerator<Uint8Array> {
  let shown = 0;
  for (let at = 0; at < file.size; at += blockBytes) {
    yield new Uint8Array(await file.slice(at, at + blockBytes).arrayBuffer());
    if (performance.now() - shown < progressMillis) continue;
    shown = performance.now();
    post({ kind: 'progress', read: Math.min(at + blockBytes, file.size), size: file.size });
  }
}

/** One byte more than allowed lets the engine see that the file is too large. */
async function readSmall(file: File, maxBytes: number): Promise<Uint8Array | Unreadable> {
  try {
    return new Uint8Array(await file.slice(0, maxBytes + 1).arrayBuffer());
  } catch {
    return 'UNREADABLE';
  }
}

const basePoint = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 0x58 : 0x66));

async function findObstacle(): Promise<Unable | undefined> {
  if (globalThis.crypto?.subtle === undefined) return 'insecure';
  return await crypto.subtle.importKey('raw', basePoint, { name: 'Ed25519' }, false, ['verify']).then(
    () => undefined,
    () => 'no-ed25519' as const,
  );
}

function toLive({ live, origin }: ForWorker): LiveEvidence | undefined {
  return origin === undefined ? live && askThrough(live) : askOrigin(origin);
}

export async function verifyInWorker(request: ForWorker): Promise<FromWorker> {
  const { original, proof, trustedKey, evidence = [], language } = request;
  const why = await findObstacle();
  if (why !== undefined) return { kind: 'unable', why };
  const archive = await readSmall(proof, maxEvidenceBytes);
  const { report, local } = await verifyCase(
    {
      archive,
      original: readBlocks(original),
      maxOriginalBytes,
      trustedKey: trustedKey && (await readSmall(trustedKey, maxTrustedKeyBytes)),
      live: toLive(request),
    },
    browserPlatform,
  );
  const sorted = await readSorted(evidence, readSmall);
  const input = { ...sorted, ...joinEvidence(sorted, unpackProofFile(archive)) };
  const { tlogProof, stamp, ots, policy, roots, headers, isEvidenceDamaged } = input;
  if ([tlogProof, stamp, ots, policy, roots, headers].every(file => file === undefined) && !isEvidenceDamaged)
    return { kind: 'report', report };
  const question = { ...input, local, original: readBlocks(original), maxOriginalBytes, required: [] };
  const existence = await judgeExistence(question, await openExistencePlatform());
  const existenceText = describeExistence(existence, language);
  return { kind: 'report', report, existence: { report: existence, told: existenceText } };
}
