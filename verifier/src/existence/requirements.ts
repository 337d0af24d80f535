// Requirements of --require, such as `witness:2,rfc3161`. Each must be met; the resulting time is the latest of them.
import type { RequirementResult, Voucher } from './existence-report.ts';
import { toTime } from './existence-report.ts';

export type Requirement =
  | { readonly kind: 'WITNESS'; readonly count: number }
  | { readonly kind: 'RFC3161' | 'BITCOIN'; readonly count: 1 };

const maxWitnesses = 64;

/** Returns undefined if the text is not a list of distinct requirements. */
export function parseRequirements(text: string): Requirement[] | undefined {
  const requirements = text.split(',').map(parseRequirement);
  const parsed = requirements.filter(requirement => requirement !== undefined);
  const isPlain =
    parsed.length === requirements.length && new Set(parsed.map(({ kind }) => kind)).size === parsed.length;
  return isPlain ? parsed : undefined;
}

function parseRequirement(text: string): Requirement | undefined {
  if (text === 'rfc3161') return { kind: 'RFC3161', count: 1 };
  if (text === 'bitcoin') return { kind: 'BITCOIN', count: 1 };
  const match = /^witness(?::([1-9][0-9]?))?$/.exec(text);
  if (match === null) return undefined;
  const number = Number(match[1] ?? 1);
  return number <= maxWitnesses ? { kind: 'WITNESS', count: number } : undefined;
}

/** Milliseconds since 1970, for valid vouchers. */
export const timesOf = (vouchers: readonly Voucher[], ...kinds: readonly Voucher['kind'][]): number[] =>
  vouchers
    .filter(({ kind, standing, time }) => kinds.includes(kind) && standing === 'HOLDS' && time !== undefined)
    .map(({ time = '' }) => Date.parse(time))
    .toSorted((a, b) => a - b);

/**
 * For witnesses, the time of the `count`-th earliest, or of the policy's quorum if later: with fewer dishonest
 * witnesses than that, one of these times is true.
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

/** An empty quorum states no time and is always reached. */
const isReached = (code: Voucher['code']): boolean => code === 'OK' || code === 'TIME_ABSENT';
