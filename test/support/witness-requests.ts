// Logs in memory that send requests to a witness: their leaves are derived from a word, and two of them may have the
// same beginning.
import { signCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import type { TypedNoteSigner } from '@recordproof/shared/evidence/cosignature.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { buildMerkleTree, hashLeaf } from '@recordproof/shared/evidence/merkle.ts';
import { consistencyRanges } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { toAddCheckpointBody } from '@recordproof/shared/evidence/witness-client.ts';

export type MemoryLog = {
  readonly origin: string;
  rootAt(size: number): Uint8Array;
  consistency(oldSize: number, size: number): Uint8Array[];
  checkpoint(size: number): Promise<Uint8Array>;
  /** The body of an add-checkpoint request. */
  request(oldSize: number, size: number, proof?: readonly Uint8Array[]): Promise<Uint8Array>;
};

/** Leaves from `forkAt` on differ between branches. */
export function memoryLog(signer: TypedNoteSigner, branch = 0, forkAt = Number.POSITIVE_INFINITY): MemoryLog {
  const origin = signer.name;
  const leaf = (at: number) => hashLeaf(toUtf8(at < forkAt ? `leaf ${at}` : `leaf ${at} of branch ${branch}`));
  const rootOf = (start: number, end: number) =>
    buildMerkleTree(Array.from({ length: end - start }, (_, at) => leaf(start + at))).root;
  const rootAt = (size: number) => rootOf(0, size);
  const consistency = (oldSize: number, size: number) =>
    consistencyRanges(oldSize, size).map(({ start, end }) => rootOf(start, end));
  const checkpoint = (size: number) => signCheckpoint({ origin, size, root: rootAt(size) }, [signer]);
  return {
    origin,
    rootAt,
    consistency,
    checkpoint,
    async request(oldSize, size, proof = consistency(Math.min(oldSize, size), size)) {
      return toAddCheckpointBody({ oldSize, proof, checkpoint: await checkpoint(size) });
    },
  };
}
