// What a ledger says of every proof, read from its first entry to its last. Inclusion shows that an entry is there; only this
// shows that there is no later one: an operator who names an older entry as the newest is found by whoever reads all.
import type { LedgerEntry } from './ledger-entry.ts';
import type { ProofStatus } from './proof-entries.ts';

type RecordedProof = {
  readonly status: ProofStatus;
  /** 1 is that it was issued. */
  readonly statusVersion: number;
  /** Of the entry that says so. */
  readonly position: number;
  /** Undefined for a proof of an earlier release, of whose issue there is no entry. */
  readonly manifestSha256?: string | undefined;
};

type RecordedKey = { readonly fingerprint: string; readonly inUse?: number; readonly retired?: number };

const isFinal = (status: ProofStatus): boolean => status === 'REVOKED' || status === 'INVALID';

/** Add every entry in the order of the log. Entries of unknown kinds change nothing. */
export class ProofStatuses {
  readonly #proofs = new Map<string, RecordedProof>();
  readonly #keys = new Map<string, RecordedKey>();
  readonly #heads = new Map<string, number>();

  /** What contradicts an earlier entry; undefined when nothing does. */
  add(entry: LedgerEntry, position: number): string | undefined {
    switch (entry.kind) {
      case 'PROOF_ISSUED': {
        const { proofId, manifestSha256 } = entry;
        const known = this.#proofs.get(proofId);
        this.#proofs.set(proofId, { status: 'ACTIVE', statusVersion: 1, position, manifestSha256 });
        return known && `entry ${position} issues ${proofId} again, after entry ${known.position}`;
      }
      case 'PROOF_STATUS': {
        const { proofId, status, statusVersion } = entry;
        const known = this.#proofs.get(proofId);
        this.#proofs.set(proofId, { ...known, status, statusVersion, position });
        if (known === undefined) return undefined;
        if (statusVersion !== known.statusVersion + 1 || isFinal(known.status))
          return `entry ${position} makes ${proofId} ${status}, version ${statusVersion}, after entry ${known.position}: ${known.status}, version ${known.statusVersion}`;
        return undefined;
      }
      case 'SIGNING_KEY':
        return this.#addKey(entry, position);
      case 'AUDIT_HEAD': {
        const last = this.#heads.get(entry.tenantDigest) ?? 0;
        this.#heads.set(entry.tenantDigest, Math.max(last, entry.sequence));
        if (entry.sequence > last) return undefined;
        return `entry ${position} has an audit log go back from row ${last} to ${entry.sequence}`;
      }
      case 'FILE_RECORD':
      case 'BATCH_ROOT':
        return undefined;
    }
  }

  /** Undefined when no entry is about it. */
  statusOf(proofId: string): RecordedProof | undefined {
    return this.#proofs.get(proofId);
  }

  /** How many proofs there are of each status. */
  count(): Readonly<Record<ProofStatus, number>> {
    const counts = { ACTIVE: 0, SUPERSEDED: 0, REVOKED: 0, INVALID: 0 };
    for (const { status } of this.#proofs.values()) counts[status] += 1;
    return counts;
  }

  #addKey(
    { keyId, keyVersion, publicKeyFingerprint: fingerprint, state }: Extract<LedgerEntry, { kind: 'SIGNING_KEY' }>,
    position: number,
  ): string | undefined {
    const name = `${keyId} version ${keyVersion}`;
    const known = this.#keys.get(name);
    const place = state === 'IN_USE' ? { inUse: position } : { retired: position };
    this.#keys.set(name, { ...place, ...known, fingerprint });
    if (known !== undefined && known.fingerprint !== fingerprint)
      return `entry ${position} gives another key the name ${name}`;
    const isTwice =
      state === 'IN_USE' ? known?.inUse !== undefined || known?.retired !== undefined : known?.retired !== undefined;
    if (isTwice) return `entry ${position} has the key ${name} ${state} again`;
    return state === 'RETIRED' && known === undefined
      ? `entry ${position} retires the key ${name}, of whose use there is no entry`
      : undefined;
  }
}
