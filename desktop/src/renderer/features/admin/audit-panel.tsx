// Details of one entry of the audit log, with its position in the hash chain.

import { getAuditLog, type LinkedAuditRow } from '@recordproof/shared/api/audit-review.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatNumber, formatTime } from '../../format.ts';
import { useLoad } from '../../ui/hooks.ts';
import { Panel } from '../../ui/panes.tsx';
import { FailedState, Loading } from '../../ui/states.tsx';
import { CommandLines, Outcome } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';

export function AuditPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { call } = useBridge();
  const { state, reload } = useLoad(id, signal => call(getAuditLog, { params: { id }, signal }));
  const title = state.kind === 'ready' ? `${state.value.module} ${state.value.operationType}` : id;
  return (
    <Panel title={title} onClose={onClose}>
      {state.kind === 'loading' && <Loading />}
      {state.kind === 'failed' && <FailedState error={state.error} again={reload} />}
      {state.kind === 'ready' && <RowFacts row={state.value} />}
      <CommandLines lines={adminCommands.auditRow(id)} />
    </Panel>
  );
}

function RowFacts({ row }: { readonly row: LinkedAuditRow }) {
  const { log: texts } = useWords(adminWords);
  const language = useLanguage();
  return (
    <>
      <dl className="facts">
        <dt>{texts.what}</dt>
        <dd>{row.description}</dd>
        <dt>{texts.who}</dt>
        <dd>{row.username ?? texts.anonymous}</dd>
        <dt>{texts.outcome}</dt>
        <dd>
          <Outcome of={row} />
        </dd>
        {row.errorMsg !== null && (
          <>
            <dt>{texts.error}</dt>
            <dd>{row.errorMsg}</dd>
          </>
        )}
        {row.repeated > 0 && (
          <>
            <dt>{texts.repeated}</dt>
            <dd className="number">{formatNumber(row.repeated, language)}</dd>
          </>
        )}
        <dt>{texts.when}</dt>
        <dd>{formatTime(row.operationTime, language)}</dd>
        <dt>{texts.address}</dt>
        <dd>{row.requestIp}</dd>
        <dt>{texts.took}</dt>
        <dd className="number">{formatNumber(row.executionTime, language)} ms</dd>
        <dt>{texts.request}</dt>
        <dd>
          <code>
            {row.requestMethod} {row.requestUrl}
          </code>
        </dd>
      </dl>
      <section>
        <h3>{texts.parameters}</h3>
        <pre className="evidence">{row.requestParam}</pre>
      </section>
      <section>
        <dl className="facts">
          <dt>{texts.position}</dt>
          <dd className="number">{formatNumber(row.position, language)}</dd>
          <dt>{texts.hash}</dt>
          <dd>
            <code>{row.hash}</code>
          </dd>
          <dt>{texts.previous}</dt>
          <dd>
            <code>{row.previousHash}</code>
          </dd>
        </dl>
      </section>
    </>
  );
}
