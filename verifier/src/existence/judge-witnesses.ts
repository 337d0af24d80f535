// Evaluation of the caller's policy for a checkpoint: each witness by name, and the required quorum.
import { applyPolicy } from '@recordproof/shared/evidence/policy-verdict.ts';
import { type PolicyMember, parseTlogPolicy, type TlogPolicy } from '@recordproof/shared/evidence/tlog-policy.ts';
import type { ExistenceInput, ExistencePlatform } from './existence-input.ts';
import { type ExistenceCode, type Link, link, type Voucher, voucher } from './existence-report.ts';
import type { Linked } from './judge-links.ts';

type Verdict = Awaited<ReturnType<typeof applyPolicy>>;

export async function judgeWitnesses(
  { policy: bytes }: ExistenceInput,
  { proof }: Linked,
  platform: ExistencePlatform,
): Promise<{ links: Link[]; vouchers: Voucher[] }> {
  if (bytes === undefined) {
    const count = proof === undefined ? '' : `the ${proof.note.signatures.length} `;
    const why = `No policy was given: ${count}signatures of logs and witnesses are not checked.`;
    return { links: [link('LOG', 'POLICY_ABSENT', why)], vouchers: [] };
  }
  const policy = readPolicy(bytes);
  if (typeof policy === 'string') return { links: [link('LOG', 'POLICY_DAMAGED', policy)], vouchers: [] };
  if (proof === undefined) return { links: [link('LOG', 'NOT_RUN', 'There is no checkpoint to check.')], vouchers: [] };
  const verdict = await applyPolicy(policy, proof.note, platform.noteVerifiers);
  const log = judgeLog(verdict, proof.tree.origin);
  return { links: [log], vouchers: [...judgeEach(verdict), judgeQuorum(policy, verdict, log)] };
}

function readPolicy(bytes: Uint8Array | 'UNREADABLE'): TlogPolicy | string {
  if (bytes === 'UNREADABLE') return 'The policy could not be read.';
  try {
    return parseTlogPolicy(bytes);
  } catch (problem) {
    return `The policy cannot be used: ${(problem as Error).message}.`;
  }
}

function judgeLog({ logs, isSignedByLog }: Verdict, origin: string): Link {
  if (logs.some(({ verdict }) => verdict.state === 'WRONG'))
    return link('LOG', 'LOG_SIGNATURE_WRONG', `A signature of the log ${origin} on the checkpoint is wrong.`);
  if (logs.length === 0) return link('LOG', 'LOG_UNKNOWN', `The policy does not name the log ${origin}.`);
  return isSignedByLog
    ? link('LOG', 'OK', `The checkpoint is signed by the log ${origin}.`)
    : link('LOG', 'LOG_UNSIGNED', `The checkpoint is not signed by the log ${origin}.`);
}

const stateCodes = {
  ABSENT: 'COSIGNATURE_ABSENT',
  WRONG: 'COSIGNATURE_WRONG',
  UNCHECKED: 'COSIGNATURE_UNCHECKED',
  VALID: 'OK',
} as const satisfies Record<string, ExistenceCode>;

const stateTexts = {
  ABSENT: 'did not cosign this checkpoint',
  WRONG: 'has a cosignature here that is wrong: it is forged, or of another checkpoint',
  UNCHECKED: 'has a cosignature here of a kind that cannot be checked',
  VALID: 'saw this checkpoint, and that it continues all earlier ones',
} as const;

const judgeEach = ({ witnesses }: Verdict): Voucher[] =>
  witnesses.map(({ signer: { name }, verdict }) => {
    const timeMs = verdict.state === 'VALID' ? toMillis(verdict.timeSeconds) : undefined;
    const isTimeless = verdict.state === 'VALID' && timeMs === undefined;
    const code = isTimeless ? 'TIME_ABSENT' : stateCodes[verdict.state];
    const trust = `the witness ${name}, by its key in your policy`;
    const message = `The witness ${name} ${stateTexts[verdict.state]}${isTimeless ? ', but states no time' : ''}.`;
    return voucher({ kind: 'WITNESS', name, code, trust, message, timeMs });
  });

const toMillis = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

function judgeQuorum({ quorum }: TlogPolicy, { quorum: reached }: Verdict, log: Link): Voucher {
  const name = quorum?.name ?? 'none';
  const trust = quorum === undefined ? 'no witness' : describeMember(quorum);
  const toVoucher = (code: ExistenceCode, message: string, timeMs?: number) =>
    voucher({ kind: 'QUORUM', name, code, trust, message, timeMs });
  if (log.standing !== 'HOLDS') return toVoucher(log.code, log.message);
  if (!reached.isReached) return toVoucher('QUORUM_NOT_REACHED', `Too few witnesses cosigned for the quorum ${name}.`);
  if (quorum === undefined) return toVoucher('TIME_ABSENT', 'The policy asks for no witness, so it states no time.');
  const timeMs = toMillis(reached.timeSeconds);
  return timeMs === undefined
    ? toVoucher('TIME_ABSENT', `The quorum ${name} is reached, but too few of its members state a time.`)
    : toVoucher('OK', `The quorum ${name} of your policy is reached.`, timeMs);
}

const describeMember = (member: PolicyMember): string =>
  member.kind === 'WITNESS'
    ? `the witness ${member.name}`
    : `at most ${member.threshold - 1} of these being dishonest: ${member.members.map(({ name }) => name).join(', ')}`;
