// Answers of OpenTimestamps calendars to the root of a checkpoint, as they are stored: one tree of operations and
// attestations for each calendar.
import { listOtsClaims, type OtsNode, parseCalendarAnswer } from '@recordproof/shared/evidence/ots.ts';

export const isAttestedByBitcoin = (node: OtsNode): boolean =>
  listOtsClaims(node).some(({ attestation }) => attestation.kind === 'BITCOIN');

/** One tree for the root of a checkpoint with everything that its calendars answered. Contents are those of OTS vouchers. */
export function mergeCalendarAnswers(root: Uint8Array, contents: readonly Uint8Array[]): OtsNode {
  const nodes = contents.map(content => parseCalendarAnswer(content, root));
  return {
    message: root,
    attestations: nodes.flatMap(({ attestations }) => attestations),
    branches: nodes.flatMap(({ branches }) => branches),
  };
}
