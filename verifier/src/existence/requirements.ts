// What a caller may ask for with --require: `witness:2,rfc3161`. Each must be met; the time is then the latest of theirs.
import type { RequirementResult, Voucher } from './existence-report.ts';
import { toTime } from './existence-report.ts';

export type Requirement =
  | { readonly kind: 'WITNESS'; readonly count: number }
  | { readonly kind: 'RFC3161' | 'BITCOIN'; readonly count: 1 };

const maxWitnesses = 64;

/** Undefined when the text is not a list of requirements, each once. */
export function parseRequirements(text: string): Requirement[] | undefined {
  const requirements = text.split(',').map(parseRequirement);
  const known = requirements.filter(requirement => requirement !== undefined);
  const isPlain = known.length === requirements.length && new Set(known.map(({ kind }) => kind)).size === known.length;
  return isPlain ? known : undefined;
}

function parseRequirement(text: string): Requirement | undefined {
  if (text === 'rfc3161') return { kind: 'RFC3161', count: 1 };
  if (text === 'bitcoin') return { kind: 'BITCOIN', count: 1 };
  const match = /^witness(?::([1-9][0-9]?))?$/.exec(text);
  if (match === null) return undefined;
  const number = Number(match[1] ?? 1);
  return number <= maxWitnesses ? { kind: 'WITNESS', count: number } : undefined;
}

/** Milliseconds since 1970, for vouchers that hold. */
export const timesOf = (vouchers: readonly Voucher[], ...kinds: readonly Voucher['kind'][]): number[] =>
  vouchers
    .filter(({ kind, standing, time }) => kinds.includes(kind) && standing === 'HOLDS' && time !== undefined)
    .map(({ time = '' }) => Date.parse(time))
    .toSorted((a, b) => a - b);

/**
 * For witnesses the time of the last of the `count` earliest, or of the quorum of the policy where that is later: with
 * fewer liars than that, one of these times is true.
 */
export function applyRequirement(requirement: Requirement, vouchers: readonly Voucher[]): RequirementResult {
  const { kind, count } = requirement;
  const text = kind === 'WITNESS' ? `witness:${count}` : kind.toLowerCase();
  const isQuorum = kind !== 'WITNESS' || vouchers.some(({ kind: at, code }) => at === 'QUORUM' && isReached(code));
  const own = timesOf(vouchers, kind)[count - 1];
  if (own === undefined || !isQuorum) return { requirement: text, isMet: false };
  const quorum = kind === 'WITNESS' ? timesOf(vouchers, 'QUORUM') : [];
  return { requirement: text, isMet: true, time: toTime(Math.max(own, ...quorum)) };
}

/** A quorum of none states no time and stands in nobody's way. */
const isReached = (code: Voucher['code']): boolean => code === 'OK' || code === 'TIME_ABSENT';
