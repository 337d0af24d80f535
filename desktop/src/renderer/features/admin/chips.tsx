// The state of a thing in one word and one colour: alerts, what was done, accounts.
import type { Account } from '@recordproof/shared/api/accounts.ts';
import type { AuditRow } from '@recordproof/shared/api/audit-review.ts';
import type { IntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import { useAdminSay } from './use-admin-say.ts';

const severityTones = { WARNING: 'open', ERROR: 'bad', CRITICAL: 'bad' } as const;
const statusTones = { PENDING: 'bad', ACKNOWLEDGED: 'open', RESOLVED: 'good' } as const;

type Of = { readonly of: IntegrityAlert };

export function Severity({ of: { severity } }: Of) {
  return <span className={`chip ${severityTones[severity]}`}>{useAdminSay().alert.severities[severity]}</span>;
}

export function AlertState({ of: { status } }: Of) {
  return <span className={`chip ${statusTones[status]}`}>{useAdminSay().alert.statuses[status]}</span>;
}

export function Outcome({ of: { status } }: { readonly of: Pick<AuditRow, 'status'> }) {
  const { log: say } = useAdminSay();
  return status === 0 ? <span className="chip">{say.done}</span> : <span className="chip bad">{say.wasRefused}</span>;
}

export function Standing({ user: { status } }: { readonly user: Account }) {
  const say = useAdminSay().user;
  return <span className={`chip ${status === 'ACTIVE' ? 'good' : 'bad'}`}>{say.statuses[status]}</span>;
}
