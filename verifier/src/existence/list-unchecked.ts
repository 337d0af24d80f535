// Vouchers that were not checked, because the caller gave no policy, roots or block headers: cosigners by the names in
// the note, and what the report lists for lack of roots or headers.
import type { Link, UncheckedVoucher, Voucher } from './existence-report.ts';
import type { Linked } from './judge-links.ts';

export function listUnchecked(
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
