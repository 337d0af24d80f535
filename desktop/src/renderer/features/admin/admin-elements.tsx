// Elements that several administration screens share: chips, pages, figures, command lines.
import type { Account } from '@recordproof/shared/api/accounts.ts';
import type { AuditRow } from '@recordproof/shared/api/audit-review.ts';
import type { Page } from '@recordproof/shared/api/common.ts';
import type { IntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useEffect, useState } from 'react';
import { useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/buttons.tsx';
import { Field } from '../../ui/form.tsx';

const severityTones = { WARNING: 'open', ERROR: 'bad', CRITICAL: 'bad' } as const;
const statusTones = { PENDING: 'bad', ACKNOWLEDGED: 'open', RESOLVED: 'good' } as const;

type Of = { readonly of: IntegrityAlert };

export function Severity({ of: { severity } }: Of) {
  return <span className={`chip ${severityTones[severity]}`}>{useWords(adminWords).alert.severities[severity]}</span>;
}

export function AlertState({ of: { status } }: Of) {
  return <span className={`chip ${statusTones[status]}`}>{useWords(adminWords).alert.statuses[status]}</span>;
}

export function Outcome({ of: { status } }: { readonly of: Pick<AuditRow, 'status'> }) {
  const { log: texts } = useWords(adminWords);
  return status === 0 ? (
    <span className="chip">{texts.done}</span>
  ) : (
    <span className="chip bad">{texts.wasRefused}</span>
  );
}

export function Standing({ user: { status } }: { readonly user: Account }) {
  const texts = useWords(adminWords).user;
  return <span className={`chip ${status === 'ACTIVE' ? 'good' : 'bad'}`}>{texts.statuses[status]}</span>;
}

type Pager = { readonly page: Pick<Page<unknown>, 'current' | 'pages'>; readonly onTurn: (page: number) => void };

export function Pager({ page: { current, pages }, onTurn }: Pager) {
  const texts = useWords(adminWords);
  const last = Math.max(1, pages);
  // The last page may have become empty.
  useEffect(() => {
    if (current > last) onTurn(last);
  }, [current, last, onTurn]);
  if (pages <= 1) return null;
  return (
    <div className="pager">
      <Button label={texts.previous} variant="plain" disabled={current <= 1} onClick={() => onTurn(current - 1)} />
      <span className="number">{texts.page(current, pages)}</span>
      <Button label={texts.next} variant="plain" disabled={current >= pages} onClick={() => onTurn(current + 1)} />
    </div>
  );
}

export function Figures({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return (
    <dl className="figures sheet number">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The optional reason of an action, with its field. */
export function useReason() {
  const texts = useWords(adminWords);
  const [typed, setTyped] = useState('');
  const reason = typed.trim() === '' ? {} : { reason: typed.trim() };
  const field = <Field label={texts.reason} hint={texts.reasonHint} value={typed} onText={setTyped} maxLength={256} />;
  return { reason, field };
}

/** The same actions as command lines, to copy. */
export function CommandLines({ lines }: { readonly lines: readonly string[] }) {
  const texts = useWords(adminWords);
  return (
    <section>
      <h3>{texts.terminal}</h3>
      <ul className="commands">
        {lines.map(line => (
          <li key={line}>
            <code>{line}</code>
            <CopyButton text={line} label={line} />
          </li>
        ))}
      </ul>
    </section>
  );
}
