// What a ledger says of proofs, of the keys that sign them and of audit logs, folded entry by entry: nothing may be taken
// back. Holds the last word on each, to compare it with what the server answers.
import type { EntryOf, LedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { Findings } from './audit-report.ts';
import { Sample } from './sample.ts';

export type SeenProof = {
  readonly proofId: string;
  /** Absent for a proof of a release that recorded none. */
  manifestSha256?: string;
  status: EntryOf<'PROOF_STATUS'>['status'];
  statusVersion: number;
  /** Of the entry that said it. */
  position: number;
};

export type SeenKey = {
  readonly keyId: string;
  readonly keyVersion: number;
  readonly publicKeyFingerprint: string;
  position: number;
  retiredAt?: string;
};

type Placed<Kind extends LedgerEntry['kind']> = { readonly entry: EntryOf<Kind>; readonly position: number };

export class ProofJudge {
  readonly keys = new Map<string, SeenKey>();
  readonly #findings: Findings;
  readonly #proofs = new Map<string, SeenProof>();
  readonly #heads = new Map<string, { sequence: number; headHash: string; position: number }>();
  readonly #sample: Sample<SeenProof>;

  constructor(findings: Findings, sample: number) {
    this.#findings = findings;
    this.#sample = new Sample(sample);
  }

  /** Those that are chosen, once each: what the caller asks for, and a sample. */
  listProofs(asked: readonly string[]): readonly SeenProof[] {
    const own = asked.map(proofId => this.#proofs.get(proofId)).filter(proof => proof !== undefined);
    return [...new Set([...own, ...this.#sample.list])];
  }

  statusOf(proofId: string): SeenProof | undefined {
    return this.#proofs.get(proofId);
  }

  /** Of other kinds than these, nothing. */
  add(entry: LedgerEntry, position: number): void {
    if (entry.kind === 'PROOF_ISSUED') this.#issue({ entry, position });
    else if (entry.kind === 'PROOF_STATUS') this.#step({ entry, position });
    else if (entry.kind === 'SIGNING_KEY') this.#useKey({ entry, position });
    else if (entry.kind === 'AUDIT_HEAD') this.#seeHead({ entry, position });
  }

  #issue({ entry: { proofId, manifestSha256 }, position }: Placed<'PROOF_ISSUED'>): void {
    const known = this.#proofs.get(proofId);
    if (known !== undefined) {
      this.#findings.add('PROOF_TWICE', { proofId, position, earlier: known.position }, [known.position, position]);
      return;
    }
    const proof: SeenProof = { proofId, manifestSha256, status: 'ACTIVE', statusVersion: 1, position };
    this.#proofs.set(proofId, proof);
    this.#sample.add(proof);
    const keys = [...this.keys.values()];
    if (keys.length > 0 && keys.every(key => key.retiredAt !== undefined))
      this.#findings.add('KEY_RETIRED', { proofId, position }, [...keys.map(key => key.position), position]);
  }

  #step({ entry: { proofId, status, statusVersion }, position }: Placed<'PROOF_STATUS'>): void {
    const known = this.#proofs.get(proofId);
    if (known === undefined) {
      // Of a proof that was issued before its release recorded that, or of none.
      const proof: SeenProof = { proofId, status, statusVersion, position };
      this.#proofs.set(proofId, proof);
      this.#sample.add(proof);
      return;
    }
    const isFinal = known.status === 'REVOKED' || known.status === 'INVALID';
    if (isFinal || status === 'ACTIVE' || statusVersion !== known.statusVersion + 1)
      this.#findings.add(
        'STATUS_TAKEN_BACK',
        { proofId, position, status, earlier: known.position, earlierStatus: known.status },
        [known.position, position],
      );
    else Object.assign(known, { status, statusVersion, position });
  }

  #useKey({ entry, position }: Placed<'SIGNING_KEY'>): void {
    const { keyId, keyVersion, publicKeyFingerprint, state, recordedAt } = entry;
    const name = `${keyId}/${keyVersion}`;
    const known = this.keys.get(name);
    if (known === undefined) {
      const retired = state === 'RETIRED' ? { retiredAt: recordedAt } : {};
      this.keys.set(name, { keyId, keyVersion, publicKeyFingerprint, position, ...retired });
      if (state === 'RETIRED') this.#findings.add('KEY_CHANGED', { key: name, position, earlier: 'none' }, [position]);
      return;
    }
    if (known.publicKeyFingerprint !== publicKeyFingerprint || known.retiredAt !== undefined || state === 'IN_USE')
      this.#findings.add('KEY_CHANGED', { key: name, position, earlier: known.position }, [known.position, position]);
    else Object.assign(known, { retiredAt: recordedAt, position });
  }

  #seeHead({ entry: { tenantDigest, sequence, headHash }, position }: Placed<'AUDIT_HEAD'>): void {
    const known = this.#heads.get(tenantDigest);
    if (known !== undefined && sequence <= known.sequence) {
      const facts = { position, sequence, earlier: known.position, earlierSequence: known.sequence };
      this.#findings.add('AUDIT_LOG_WENT_BACK', facts, [known.position, position]);
    } else this.#heads.set(tenantDigest, { sequence, headHash, position });
  }
}
