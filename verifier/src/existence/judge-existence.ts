// The existence check: did these bytes exist no later than some time, and by whose statement? Pure: no clock, file or
// connection. Independent of the proof's status and of its issuer.
import { toHex } from '@recordproof/shared/evidence/digest.ts';
import { valueIn } from '../verify/case-file.ts';
import { verifierVersion } from '../version.ts';
import { judgeOts, judgeStamp } from './check-time-stamps.ts';
import { type ExistenceCode, standingOf } from './existence-codes.ts';
import type { ExistenceInput, ExistencePlatform } from './existence-input.ts';
import { type ExistenceReport, existenceSchema, toTime, type Voucher, type VoucherKind } from './existence-report.ts';
import { judgeLinks, type Linked, shownHash } from './judge-links.ts';
import { judgeWitnesses } from './judge-witnesses.ts';
import { listUnchecked } from './list-unchecked.ts';
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
    ...(unchecked.length > 0 && { unchecked }),
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
  const contentHash = shownHash(content?.hash);
  const proofId = valueIn(file?.manifest)?.proofId;
  return {
    ...(contentHash === undefined || content === undefined ? {} : { contentHash, sizeBytes: content.sizeBytes }),
    ...(proofId === undefined ? {} : { proofId }),
    ...(proof === undefined ? {} : { checkpoint: { ...proof.tree, root: toHex(proof.tree.root) } }),
    ...(proof === undefined || entry === undefined
      ? {}
      : { entry: { kind: entry.kind, position: proof.index, recordedAt: entry.recordedAt } }),
  };
}
