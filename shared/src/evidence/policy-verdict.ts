// Evaluation of a policy for one signed checkpoint: which of its logs and witnesses signed, whether the quorum is
// reached, and since when (docs/spec/vouchers.md section 5). Uses neither network nor clock.
import { parseCheckpointText } from './checkpoint.ts';
import { type CosignatureResult, type NoteVerifiers, verifyCosignature } from './cosignature.ts';
import type { SignedNote } from './signed-note.ts';
import type { PolicyLog, PolicyMember, PolicyWitness, TlogPolicy } from './tlog-policy.ts';

type SignerVerdict<S> = { readonly signer: S; readonly verdict: CosignatureResult };

/** `timeSeconds` is absent if too few of the quorum's cosignatures state a time. */
type QuorumVerdict = { readonly isReached: boolean; readonly timeSeconds?: number };

type PolicyVerdict = {
  /** The policy's logs with the origin of the checkpoint. */
  readonly logs: readonly SignerVerdict<PolicyLog>[];
  readonly witnesses: readonly SignerVerdict<PolicyWitness>[];
  /** A signature in the note by a key of the policy does not verify. */
  readonly isContradicted: boolean;
  readonly isSignedByLog: boolean;
  readonly quorum: QuorumVerdict;
};

/** Throws RangeError if the text of the note is not a checkpoint. */
export async function applyPolicy(
  policy: TlogPolicy,
  note: SignedNote,
  verifiers: NoteVerifiers,
): Promise<PolicyVerdict> {
  const { origin } = parseCheckpointText(note.text);
  const judge = <S extends PolicyLog>(signers: readonly S[]) =>
    Promise.all(
      signers.map(async signer => ({ signer, verdict: await verifyCosignature(note, signer.key, verifiers) })),
    );
  const logs = await judge(policy.logs.filter(({ key }) => key.name === origin));
  const witnesses = await judge(policy.witnesses);
  const verdicts = new Map(witnesses.map(({ signer, verdict }) => [signer, verdict]));
  return {
    logs,
    witnesses,
    isContradicted: [...logs, ...witnesses].some(({ verdict }) => verdict.state === 'WRONG'),
    isSignedByLog: logs.some(({ verdict }) => verdict.state === 'VALID'),
    quorum: policy.quorum === undefined ? { isReached: true } : toQuorum(timeOf(policy.quorum, verdicts)),
  };
}

/** In seconds; Infinity for a cosignature without a time; undefined if none counts. */
function timeOf(member: PolicyMember, verdicts: ReadonlyMap<PolicyWitness, CosignatureResult>): number | undefined {
  if (member.kind === 'WITNESS') {
    const verdict = verdicts.get(member);
    return verdict?.state === 'VALID' ? (verdict.timeSeconds ?? Number.POSITIVE_INFINITY) : undefined;
  }
  const times = member.members.map(part => timeOf(part, verdicts)).filter(time => time !== undefined);
  // With fewer than `threshold` dishonest members, one of the first `threshold` times is true, and the last of them is
  // not before it.
  return times.toSorted((a, b) => (a === b ? 0 : a - b))[member.threshold - 1];
}

function toQuorum(time: number | undefined): QuorumVerdict {
  if (time === undefined) return { isReached: false };
  return time === Number.POSITIVE_INFINITY ? { isReached: true } : { isReached: true, timeSeconds: time };
}
