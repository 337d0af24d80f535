// Stored answers of OpenTimestamps calendars to the root of a checkpoint: one tree of operations and attestations per
// calendar.
import { listOtsClaims, type OtsNode, parseCalendarAnswer } from '@recordproof/shared/evidence/ots.ts';

export const isAttestedByBitcoin = (node: OtsNode): boolean =>
  listOtsClaims(node).some(({ attestation }) => attestation.kind === 'BITCOIN');

/** One tree for the root of a checkpoint with the answers of all calendars. Contents are those of OTS vouchers. */
export function mergeCalendarAnswers(root: Uint8Array, contents: readonly Uint8Array[]): OtsNode {
  const nodes = contents.map(content => parseCalendarAnswer(content, root));
  return {
    message: root,
    attestations: nodes.flatMap(({ attestations }) => attestations),
    branches: nodes.flatMap(({ branches }) => branches),
  };
}
