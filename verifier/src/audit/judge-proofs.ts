// Checks on entries about proofs, signing keys and audit logs, one after the other: nothing may be retracted. Keeps the
// last state of each for comparison with the server's answers.
import { digestProofId, type EntryOf, type LedgerEntry } from '@recordproof/shared/evidence/ledger-entry.ts';
import type { Findings } from './audit-report.ts';
import { SeenSubjects } from './seen-subjects.ts';

export type SeenProof = {
  /** Absent for a proof of a release without it. */
  manifestSha256?: string;
  status: EntryOf<'PROOF_STATUS'>['status'];
  statusVersion: number;
  /** The position of its entry. */
  position: number;
};

export type SeenKey = {
  readonly keyId: string;
  readonly keyVersion: number;
  readonly publicKeyFingerprint: string;
  position: number;
  retiredAt?: string;
};

const statuses = ['ACTIVE', 'SUPERSEDED', 'REVOKED', 'INVALID'] as const satisfies readonly SeenProof['status'][];
/** The maximum in a note; later versions are not distinguished. */
const mostVersions = 2 ** 28;

type Placed<Kind extends LedgerEntry['kind']> = { readonly entry: EntryOf<Kind>; readonly position: number };

export class ProofJudge {
  readonly keys = new Map<string, SeenKey>();
  readonly #findings: Findings;
  readonly #seen: SeenSubjects;
  /** Proofs named by the caller, by the digest of their id. */
  readonly #named = new Map<string, SeenProof>();
  readonly #requestedDigests: ReadonlySet<string>;
  readonly #heads = new Map<string, { sequence: number; headHash: string; position: number }>();

  /** `named`: ids of the proofs whose last state is kept. */
  constructor(findings: Findings, named: readonly string[] = [], seen = new SeenSubjects()) {
    this.#findings = findings;
    this.#seen = seen;
    this.#requestedDigests = new Set(named.map(proofId => digestProofId(proofId)));
  }

  /** Of a proof named by the caller. */
  statusOf(proofId: string): SeenProof | undefined {
    return this.#named.get(digestProofId(proofId));
  }

  /** Entries of other kinds are ignored. */
  add(entry: LedgerEntry, position: number): void {
    if (entry.kind === 'PROOF_ISSUED') this.#issue({ entry, position });
    else if (entry.kind === 'PROOF_STATUS') this.#step({ entry, position });
    else if (entry.kind === 'SIGNING_KEY') this.#useKey({ entry, position });
    else if (entry.kind === 'AUDIT_HEAD') this.#seeHead({ entry, position });
  }

  #issue({ entry: { proofIdSha256: proof, manifestSha256 }, position }: Placed<'PROOF_ISSUED'>): void {
    const earlier = this.#find(proof);
    if (earlier !== undefined) {
      this.#findings.add('PROOF_TWICE', { proof, position, earlier: earlier.position }, [earlier.position, position]);
      return;
    }
    this.#note(proof, { manifestSha256, status: 'ACTIVE', statusVersion: 1, position });
    const keys = [...this.keys.values()];
    if (keys.length > 0 && keys.every(key => key.retiredAt !== undefined))
      this.#findings.add('KEY_RETIRED', { proof, position }, [...keys.map(key => key.position), position]);
  }

  #step({ entry: { proofIdSha256: proof, status, statusVersion }, position }: Placed<'PROOF_STATUS'>): void {
    const earlier = this.#find(proof);
    if (earlier === undefined) {
      // For a proof issued by a release without such entries, or one that never existed.
      this.#note(proof, { status, statusVersion, position });
      return;
    }
    const isFinal = earlier.status === 'REVOKED' || earlier.status === 'INVALID';
    const isNext = Math.min(statusVersion, mostVersions) === Math.min(earlier.statusVersion + 1, mostVersions);
    const isBack = status === 'ACTIVE' && earlier.status !== 'SUPERSEDED'; // its successor may have been revoked
    if (isFinal || isBack || !isNext)
      this.#findings.add(
        'STATUS_TAKEN_BACK',
        { proof, position, status, earlier: earlier.position, earlierStatus: earlier.status },
        [earlier.position, position],
      );
    else this.#note(proof, { ...this.#named.get(proof), status, statusVersion, position });
  }

  #find(proof: string): Omit<SeenProof, 'manifestSha256'> | undefined {
    const found = this.#seen.find('PROOF', proof);
    if (found === undefined) return undefined;
    const { position, note } = found;
    const statusVersion = Math.floor(note / statuses.length);
    return { position, status: statuses[note % statuses.length] ?? 'INVALID', statusVersion };
  }

  #note(proof: string, state: SeenProof): void {
    const { status, statusVersion, position } = state;
    const note = Math.min(statusVersion, mostVersions) * statuses.length + statuses.indexOf(status);
    this.#seen.set('PROOF', proof, position, note);
    if (this.#requestedDigests.has(proof)) this.#named.set(proof, state);
  }

  #useKey({ entry, position }: Placed<'SIGNING_KEY'>): void {
    const { keyId, keyVersion, publicKeyFingerprint, state, recordedAt } = entry;
    const name = `${keyId}/${keyVersion}`;
    const earlier = this.keys.get(name);
    if (earlier === undefined) {
      const retired = state === 'RETIRED' ? { retiredAt: recordedAt } : {};
      this.keys.set(name, { keyId, keyVersion, publicKeyFingerprint, position, ...retired });
      if (state === 'RETIRED') this.#findings.add('KEY_CHANGED', { key: name, position, earlier: 'none' }, [position]);
      return;
    }
    if (earlier.publicKeyFingerprint !== publicKeyFingerprint || earlier.retiredAt !== undefined || state === 'IN_USE')
      this.#findings.add('KEY_CHANGED', { key: name, position, earlier: earlier.position }, [
        earlier.position,
        position,
      ]);
    else Object.assign(earlier, { retiredAt: recordedAt, position });
  }

  #seeHead({ entry: { tenantDigest, sequence, headHash }, position }: Placed<'AUDIT_HEAD'>): void {
    const earlier = this.#heads.get(tenantDigest);
    if (earlier !== undefined && sequence <= earlier.sequence) {
      const facts = { position, sequence, earlier: earlier.position, earlierSequence: earlier.sequence };
      this.#findings.add('AUDIT_LOG_WENT_BACK', facts, [earlier.position, position]);
    } else this.#heads.set(tenantDigest, { sequence, headHash, position });
  }
}
