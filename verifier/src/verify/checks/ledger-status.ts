// Check of an ACTIVE proof against the ledger: each entry named by the status is under the signed checkpoint, and
// agrees with it.
import { digestOf } from '@recordproof/shared/evidence/digest.ts';
import {
  clockSkewMs,
  digestProofId,
  type EntryOf,
  type LedgerEntry,
} from '@recordproof/shared/evidence/ledger-entry.ts';
import type { ProofManifest } from '@recordproof/shared/evidence/proof-entries.ts';
import { type Answers, type CaseFile, type Judged, valueIn } from '../case-file.ts';
import { toLookupCode } from '../check-codes.ts';
import type { NamedEntry, ProofLife } from '../ledger-records.ts';
import type { IssuerStatus } from '../live-evidence.ts';
import { found, notRun } from '../report.ts';

type LifeFinding = Judged<'status.current'>;
type About = NonNullable<IssuerStatus['about']>;

/** Returns undefined if nothing contradicts the status. */
export function findLifeProblem(
  file: CaseFile,
  about: About,
  manifest: ProofManifest,
  { life: answer }: Pick<Answers, 'life'>,
): LifeFinding | undefined {
  if (answer.kind === 'offline') return undefined;
  if (answer.kind === 'unknown' || answer.kind === 'unavailable')
    return found(
      toLookupCode('LEDGER', answer),
      'The ledger did not show the entries of this proof under its checkpoint.',
    );
  if (about.ledgerEntries === undefined || about.ledgerEntries === null)
    return notShown('ledgerEntries', 'The issuer names no entry of the ledger: ask a server of this release or later.');
  if (answer.kind === 'held-back') return notRun(answer.waitsFor);
  const life = answer.value;
  const behind = lifeNames.find(name => life[name] === 'BEHIND_CHECKPOINT');
  if (behind !== undefined)
    return notShown(behind, 'The ledger that was shown ends before an entry that the issuer names: try again.', {
      ledgerSize: life.ledgerSize,
    });
  return (
    findKeyProblem(life, manifest) ??
    findIssueProblem(file, life, manifest) ??
    findStatusProblem(life, about, digestProofId(manifest.proofId))
  );
}

const lifeNames = ['issued', 'status', 'keyInUse', 'keyRetired'] as const;

const notShown = (member: string, message: string, evidence: Record<string, string | number> = {}): LifeFinding =>
  found('STATUS_NOT_ON_LEDGER', message, { member, ...evidence });

const inLog = (shown: ProofLife['issued']): NamedEntry | null => (shown === 'BEHIND_CHECKPOINT' ? null : shown);
const timeOf = (entry: LedgerEntry | undefined): number => Date.parse(entry?.recordedAt ?? '');

function isOf<Kind extends LedgerEntry['kind']>(shown: NamedEntry, kind: Kind): EntryOf<Kind> | undefined {
  return shown.entry?.kind === kind ? (shown.entry as EntryOf<Kind>) : undefined;
}

function findKeyProblem(life: ProofLife, manifest: ProofManifest): LifeFinding | undefined {
  const [inUse, retired] = [inLog(life.keyInUse), inLog(life.keyRetired)];
  if (inUse === null) return notShown('keyInUse', 'The issuer names no entry of the key that signed this proof.');
  const isOwn = isKeyEntry(inUse, 'IN_USE', manifest) && (retired === null || isKeyEntry(retired, 'RETIRED', manifest));
  if (!isOwn)
    return found('KEY_ENTRY_MISMATCH', 'The entry that the issuer names for its key is about something else.', {
      position: inUse.position,
    });
  const isAfter = retired !== null && Date.parse(manifest.issuedAt) > timeOf(retired.entry) + clockSkewMs;
  if (!isAfter) return undefined;
  return found('KEY_NOT_IN_USE', 'The proof is dated after the ledger recorded that its key was retired.', {
    issuedAt: manifest.issuedAt,
    usedUntil: retired.entry?.recordedAt ?? '',
  });
}

function isKeyEntry(shown: NamedEntry, state: 'IN_USE' | 'RETIRED', { signature }: ProofManifest): boolean {
  const entry = isOf(shown, 'SIGNING_KEY');
  return (
    entry?.state === state &&
    entry.keyId === signature.keyId &&
    entry.keyVersion === signature.keyVersion &&
    entry.publicKeyFingerprint === signature.publicKeyFingerprint
  );
}

function findIssueProblem(file: CaseFile, life: ProofLife, manifest: ProofManifest): LifeFinding | undefined {
  const [issued, inUse, retired] = [inLog(life.issued), inLog(life.keyInUse), inLog(life.keyRetired)];
  if (issued === null) {
    // Proofs were recorded only once their key was on the ledger; from then on all are, including those of earlier
    // batches.
    const isOfOldBatch = (valueIn(file.receipt)?.blockNumber ?? 0) < (inUse?.position ?? 0);
    const isOld = isOfOldBatch && Date.parse(manifest.issuedAt) <= timeOf(inUse?.entry) + clockSkewMs;
    return isOld ? undefined : notShown('issued', 'The issuer does not show on the ledger that it issued this proof.');
  }
  const entry = isOf(issued, 'PROOF_ISSUED');
  const bytes = valueIn(file.archive)?.['manifest.json'] ?? new Uint8Array(0);
  if (entry?.proofIdSha256 !== digestProofId(manifest.proofId) || entry.manifestSha256 !== digestOf(bytes))
    return found(
      'ISSUE_ENTRY_MISMATCH',
      'The ledger holds another manifest than that of this proof, or another proof.',
      {
        position: issued.position,
      },
    );
  if (Date.parse(manifest.issuedAt) > timeOf(entry) + clockSkewMs)
    return found('ISSUE_ENTRY_MISMATCH', 'The proof is dated after the ledger recorded it.', {
      issuedAt: manifest.issuedAt,
      recordedAt: entry.recordedAt,
    });
  const isInUse = issued.position > (inUse?.position ?? 0) && issued.position < (retired?.position ?? Number.MAX_VALUE);
  if (isInUse) return undefined;
  return found('KEY_NOT_IN_USE', 'The ledger recorded the proof while its key was not in use.', {
    position: issued.position,
  });
}

/** A proof with its initial status has no later entry. */
function findStatusProblem(life: ProofLife, about: About, own: string): LifeFinding | undefined {
  const shown = inLog(life.status);
  if (shown === null && about.statusVersion === 1) return undefined;
  if (shown === null) return notShown('status', 'The issuer names no entry for the status that it states.');
  const entry = isOf(shown, 'PROOF_STATUS');
  const isSame =
    entry?.proofIdSha256 === own && entry.status === 'ACTIVE' && entry.statusVersion === about.statusVersion;
  if (isSame) return undefined;
  return found('STATUS_ENTRY_MISMATCH', 'The ledger states another status than the issuer, or that of another proof.', {
    position: shown.position,
    ...(entry !== undefined && entry.proofIdSha256 === own ? { recordedStatus: entry.status } : {}),
  });
}
