// The existence check: did these bytes exist no later than some time, and by whose statement? Pure: no clock, file or
// connection. Independent of the proof's status and of its issuer.
import { toDigest, toHex } from '@recordproof/shared/evidence/digest.ts';
import { valueIn } from '../verify/case-file.ts';
import { verifierVersion } from '../version.ts';
import { judgeOts, judgeStamp } from './check-time-stamps.ts';
import type { ExistenceInput, ExistencePlatform } from './existence-input.ts';
import {
  type ExistenceCode,
  type ExistenceReport,
  existenceSchema,
  type Link,
  standingOf,
  toTime,
  type UncheckedVoucher,
  type Voucher,
  type VoucherKind,
} from './existence-report.ts';
import { judgeLinks, type Linked } from './judge-links.ts';
import { judgeWitnesses } from './judge-witnesses.ts';
import { applyRequirement, timesOf } from './requirements.ts';

/** These cover the checkpoint; OpenTimestamps cover the file itself. */
const checkpointKinds: readonly VoucherKind[] = ['WITNESS', 'QUORUM', 'RFC3161'];

/** Never rejects because of a file's content. */
export async function judgeExistence(input: ExistenceInput, platform: ExistencePlatform): Promise<ExistenceReport> {
  const linked = await judgeLinks(input, platform);
  const parts = [
    await judgeWitnesses(input, linked, platform),
    await judgeStamp(input, linked, platform),
    judgeOts(input, linked),
  ];
  const links = [...linked.links, ...parts.flatMap(part => part.links)];
  const vouchers = parts.flatMap(part => part.vouchers).map(voucher => onlyWhenLinked(voucher, linked));
  const required = input.required.map(requirement => applyRequirement(requirement, vouchers));
  const unchecked = listUnchecked(links, vouchers, linked);
  return {
    schemaVersion: existenceSchema,
    ...decide({ links, vouchers, required }),
    verifierVersion,
    ...summarize(linked),
    ...{ links, vouchers, required },
    unchecked: unchecked.length > 0 ? unchecked : undefined,
  };
}

function onlyWhenLinked(voucher: Voucher, { isLinked }: Linked): Voucher {
  if (isLinked || voucher.standing !== 'HOLDS' || !checkpointKinds.includes(voucher.kind)) return voucher;
  return { ...voucher, code: 'NOT_LINKED', standing: standingOf('NOT_LINKED') };
}

type Findings = Pick<ExistenceReport, 'links' | 'vouchers' | 'required'>;
type Decision = Pick<ExistenceReport, 'outcome' | 'reason' | 'existedNoLaterThan'>;

/** A contradiction is certain despite other damage; damage may hide one. */
function decide({ links, vouchers, required }: Findings): Decision {
  const first = (standing: string): ExistenceCode | undefined =>
    [...links, ...vouchers].find(finding => finding.standing === standing)?.code;
  const contradiction = first('CONTRADICTED');
  if (contradiction !== undefined) return { outcome: 'CONTRADICTED', reason: contradiction };
  const damage = first('DAMAGED');
  if (damage !== undefined) return { outcome: 'ERROR', reason: damage };
  if (required.some(({ isMet }) => !isMet)) return { outcome: 'NOT_SHOWN', reason: 'REQUIREMENT_NOT_MET' };
  const [earliest] = timesOf(vouchers, 'QUORUM', 'RFC3161', 'BITCOIN');
  const time = required.length === 0 ? earliest : Math.max(...required.map(({ time = '' }) => Date.parse(time)));
  if (time === undefined) return { outcome: 'NOT_SHOWN', reason: 'NO_TRUSTED_VOUCHER' };
  return { outcome: 'EXISTED', existedNoLaterThan: toTime(time) };
}

function summarize({ content, file, proof, entry }: Linked): Partial<ExistenceReport> {
  return {
    contentHash: content && toDigest(content.hash),
    sizeBytes: content?.sizeBytes,
    proofId: valueIn(file?.manifest)?.proofId,
    checkpoint: proof && { ...proof.tree, root: toHex(proof.tree.root) },
    entry: proof && entry && { kind: entry.kind, position: proof.index, recordedAt: entry.recordedAt },
  };
}

/**
 * Vouchers that were not checked, because the caller gave no policy, roots or block headers: cosigners by the names in
 * the note, and what the report lists for lack of roots or headers.
 */
function listUnchecked(
  links: readonly Link[],
  vouchers: readonly Voucher[],
  { proof }: Pick<Linked, 'proof'>,
): UncheckedVoucher[] {
  const hasNoPolicy = links.some(({ code }) => code === 'POLICY_ABSENT');
  const signers = hasNoPolicy && proof !== undefined ? proof.note.signatures.map(({ name }) => name) : [];
  const cosigners = new Set(signers.filter(name => name !== proof?.tree.origin));
  return [
    ...[...cosigners].map(name => ({ kind: 'WITNESS', name, needs: 'policy' }) as const),
    ...vouchers.flatMap(({ kind, name, code }): UncheckedVoucher[] => {
      if (code === 'ROOTS_ABSENT') return [{ kind, name, needs: 'roots' }];
      return code === 'HEADERS_ABSENT' ? [{ kind, name, needs: 'headers' }] : [];
    }),
  ];
}
