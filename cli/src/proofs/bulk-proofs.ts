// Bulk requests for proofs with their vouchers: each request also includes all other proofs that are still missing, so
// that a folder needs few calls.
import { type BulkAnswer, mostBulkAnswers } from '@recordproof/shared/api/bulk-answers.ts';
import type { Client } from '@recordproof/shared/api/client.ts';
import { exportProofs } from '@recordproof/shared/api/proofs.ts';
import { exportManyEvidence } from '@recordproof/shared/api/vouchers.ts';
import { maxEvidenceBytes } from '@recordproof/shared/evidence/evidence-archive.ts';
import { askForMany } from '@recordproof/shared/transfer/bulk-answers.ts';
import { withProofFallback } from '@recordproof/shared/transfer/fetch-evidence.ts';
import type { Transfers } from '../platform/transfers.ts';

/** The proofs of these files with their vouchers; of a server of an earlier release the proofs alone. */
export const openProofs = (client: Client, isVouched: boolean) => (ids: readonly string[], signal: AbortSignal) =>
  withProofFallback(
    () => client.open(exportManyEvidence, { body: { ids: [...ids], isVouched }, signal }),
    () => client.open(exportProofs, { body: { ids: [...ids] }, signal }),
  );

/** The number of archives that are requested ahead. */
const mostHeldBytes = 64 * 1024 * 1024;

export class BulkProofs {
  readonly #transfers: Pick<Transfers, 'server' | 'signal'>;
  readonly #missing: Set<string>;
  readonly #held = new Map<string, Uint8Array>();

  /** The files in the order in which their archives will be requested. */
  constructor(transfers: Pick<Transfers, 'server' | 'signal'>, fileIds: readonly string[]) {
    this.#transfers = transfers;
    this.#missing = new Set(fileIds);
  }

  /** Throws the error that a request for it alone would have. */
  async fetch(fileId: string, isVouched: boolean): Promise<Uint8Array> {
    this.#missing.delete(fileId);
    const held = this.#held.get(fileId);
    this.#held.delete(fileId);
    const answer = held ?? (await this.#ask(fileId, isVouched));
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async #ask(fileId: string, isVouched: boolean): Promise<BulkAnswer> {
    const { server, signal } = this.#transfers;
    const others = [...this.#missing].filter(id => !this.#held.has(id)).slice(0, mostBulkAnswers - 1);
    const { promise, resolve } = Promise.withResolvers<BulkAnswer>();
    let heldBytes = 0;
    await askForMany({
      items: [fileId, ...others],
      open: openProofs(server.client, isVouched),
      maxBytes: maxEvidenceBytes,
      take: async (id, answer) => {
        if (id === fileId) resolve(answer);
        else if (!(answer instanceof Error) && heldBytes + answer.length <= mostHeldBytes) {
          heldBytes += answer.length;
          this.#held.set(id, answer);
        }
      },
      signal,
    });
    return promise;
  }
}
