// One line of the items of a key rotation (docs/spec/key-retirement.md, section 2) and their sums: which key wrapped a
// file's data key before and after. Contains names of keys, never a key. Only the canonical form is accepted.
import { canonicalBytes, type JsonValue } from './canonical-json.ts';
import { concatBytes, isSameBytes } from './digest.ts';
import { instant } from './proof-entries.ts';
import { parseStrictJson } from './strict-json.ts';
import { decimalId, hexHash, integer, objectOf, oneOf, ShapeError, text } from './strict-shape.ts';

export const keyNameMembers = {
  provider: text(/^[a-z0-9][a-z0-9-]{0,63}$/, 'the name of a key provider'),
  contract: integer(1),
  keyVersion: text(/^[A-Za-z0-9._:-]{1,128}$/, 'a version of a key'),
};
const keyName = objectOf(keyNameMembers);
export type KeyName = ReturnType<typeof keyName>;

const members = {
  itemId: decimalId,
  /** The record id of the file, as on the ledger. */
  recordId: hexHash,
  recipientType: oneOf('OWNER', 'SHARE', 'FRIEND_SHARE'),
  endedAt: instant,
  before: keyName,
};
const moved = objectOf({
  ...members,
  outcome: oneOf('SUCCEEDED', 'SKIPPED_ALREADY_TARGET'),
  after: keyName,
});
/** Envelopes that were revoked or replaced meanwhile. */
const ended = objectOf({ ...members, outcome: oneOf('SKIPPED_REVOKED', 'SKIPPED_SOURCE_CHANGED') });

export type RotationItem = ReturnType<typeof moved> | ReturnType<typeof ended>;

export const maxRotationItemBytes = 4096;

function readRotationItem(value: JsonValue): RotationItem {
  const isMoved = typeof value === 'object' && value !== null && 'after' in value;
  return isMoved ? moved(value, '') : ended(value, '');
}

/** With the trailing line feed. */
export function rotationItemLine(item: RotationItem): Uint8Array {
  readRotationItem(item);
  return concatBytes(canonicalBytes(item), lineFeed);
}

const lineFeed = new Uint8Array([10]);

/** A line without its line feed. Throws StrictJsonError or ShapeError. */
export function parseRotationItem(bytes: Uint8Array): RotationItem {
  const value = parseStrictJson(bytes, { maxBytes: maxRotationItemBytes, maxDepth: 3 });
  if (!isSameBytes(canonicalBytes(value), bytes)) throw new ShapeError('', 'must be canonical JSON');
  return readRotationItem(value);
}

type RotationCounts = {
  total: number;
  succeeded: number;
  alreadyTarget: number;
  revoked: number;
  sourceChanged: number;
};

/** Envelopes per key at the time of the run, and after it. */
type KeyUse = KeyName & { before: number; after: number };

export type RotationSums = { readonly counts: RotationCounts; readonly keys: readonly KeyUse[] };

const countOf = {
  SUCCEEDED: 'succeeded',
  SKIPPED_ALREADY_TARGET: 'alreadyTarget',
  SKIPPED_REVOKED: 'revoked',
  SKIPPED_SOURCE_CHANGED: 'sourceChanged',
} as const satisfies Record<RotationItem['outcome'], keyof RotationCounts>;

/** The sort key of key names. */
export const sortWord = ({ provider, contract, keyVersion }: KeyName): string =>
  `${provider}\n${String(contract).padStart(16, '0')}\n${keyVersion}`;

type RotationTally = { add(item: RotationItem): void; sums(): RotationSums };

/** Keys are returned in the order of provider, contract and version. */
export function openRotationTally(): RotationTally {
  const counts: RotationCounts = { total: 0, succeeded: 0, alreadyTarget: 0, revoked: 0, sourceChanged: 0 };
  const keys = new Map<string, KeyUse>();
  const useOf = (key: KeyName): KeyUse => {
    const word = sortWord(key);
    const use = keys.get(word) ?? { ...key, before: 0, after: 0 };
    keys.set(word, use);
    return use;
  };
  return {
    add: item => {
      counts.total += 1;
      counts[countOf[item.outcome]] += 1;
      useOf(item.before).before += 1;
      if ('after' in item) useOf(item.after).after += 1;
    },
    sums: () => ({
      counts: { ...counts },
      keys: [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => ({ ...use })),
    }),
  };
}
