// Client of an OpenTimestamps calendar (docs/spec/vouchers.md section 10): the root of a checkpoint is sent, and the
// answer polled until a Bitcoin block attests it. Only configured URLs are used, never one from an answer.
import { isSameBytes, toHex } from '@recordproof/shared/evidence/digest.ts';
import {
  listOtsClaims,
  type OtsNode,
  parseCalendarAnswer,
  writeCalendarAnswer,
} from '@recordproof/shared/evidence/ots.ts';
import { boundedFetch } from '../../platform/http/bounded-fetch.ts';

const headers = { accept: 'application/vnd.opentimestamps.v1', 'content-type': 'application/x-www-form-urlencoded' };
/** Lets the answers of all calendars and the path from a file to the root fit into one file. */
const maxBytes = 16 * 1024;
const maxOperations = 512;
const maxDepth = 120;
/** A reader takes 64 in a file. */
const maxAttestations = 8;
/** A calendar that forwards to others returns one commitment for each. */
const maxCommitments = 4;

type Calendar = { readonly url: string };
type CalendarAnswer = { readonly content: Uint8Array; readonly isPending: boolean };

const isAttestedByBitcoin = (node: OtsNode): boolean =>
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

export async function requestOtsStamp(
  { url }: Calendar,
  root: Uint8Array,
  signal: AbortSignal,
): Promise<CalendarAnswer> {
  const { status, body } = await boundedFetch(`${url}/digest`, { method: 'POST', body: root, headers, signal });
  if (status !== 200) throw new Error(`the calendar answered ${status}`);
  const node = read(body, root);
  if (listPending(node).length === 0 && !isAttestedByBitcoin(node))
    throw new Error('the calendar answered no attestation of a kind that is known');
  return toAnswer(node);
}

/** The answer merged with the calendar's current one; null while no Bitcoin block attests it. */
export async function upgradeAnswer(
  { url }: Calendar,
  root: Uint8Array,
  content: Uint8Array,
  signal: AbortSignal,
): Promise<CalendarAnswer | null> {
  let node = read(content, root);
  for (const commitment of listPending(node).slice(0, maxCommitments)) {
    const { status, body } = await boundedFetch(`${url}/timestamp/${toHex(commitment)}`, {
      method: 'GET',
      headers,
      signal,
    });
    // The calendar's answer until the next block.
    if (status === 404) continue;
    if (status !== 200) throw new Error(`the calendar answered ${status}`);
    const news = read(body, commitment);
    if (isAttestedByBitcoin(news)) node = graft(node, commitment, news);
  }
  return isAttestedByBitcoin(node) ? toAnswer(node) : null;
}

const toAnswer = (node: OtsNode): CalendarAnswer => {
  const content = writeCalendarAnswer(checkLimits(node));
  if (content.length > maxBytes) throw new RangeError(`the answer of the calendar exceeds ${maxBytes} bytes`);
  return { content, isPending: !isAttestedByBitcoin(node) };
};

function read(bytes: Uint8Array, message: Uint8Array): OtsNode {
  if (bytes.length > maxBytes) throw new RangeError(`the answer of the calendar exceeds ${maxBytes} bytes`);
  return checkLimits(parseCalendarAnswer(bytes, message));
}

function checkLimits(node: OtsNode): OtsNode {
  const { operations, depth } = measure(node);
  if (operations > maxOperations || depth > maxDepth)
    throw new RangeError('the answer of the calendar has too many operations');
  if (listOtsClaims(node).length > maxAttestations)
    throw new RangeError('the answer of the calendar has too many attestations');
  return node;
}

function measure({ branches }: OtsNode): { operations: number; depth: number } {
  const parts = branches.map(({ node }) => measure(node));
  return {
    operations: parts.reduce((sum, { operations }) => sum + operations + 1, 0),
    depth: parts.reduce((most, { depth }) => Math.max(most, depth + 1), 0),
  };
}

/** Without duplicates. */
const listPending = (node: OtsNode): Uint8Array[] =>
  listOtsClaims(node)
    .filter(({ attestation }) => attestation.kind === 'PENDING')
    .map(({ message }) => message)
    .filter((message, at, all) => all.findIndex(other => isSameBytes(other, message)) === at);

/** Replaces the pending attestations of the message by its current timestamps. */
function graft(node: OtsNode, message: Uint8Array, news: OtsNode): OtsNode {
  if (!isSameBytes(node.message, message))
    return {
      ...node,
      branches: node.branches.map(({ operation, node: next }) => ({ operation, node: graft(next, message, news) })),
    };
  return {
    message,
    attestations: [...node.attestations.filter(({ kind }) => kind !== 'PENDING'), ...news.attestations],
    branches: [...node.branches, ...news.branches],
  };
}
