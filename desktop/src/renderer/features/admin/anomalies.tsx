import { type AuditAnomalies, checkAnomalies } from '@recordproof/shared/api/audit-review.ts';
import { formatNumber } from '../../format.ts';
import { useBridge, useLanguage } from '../../surroundings.ts';
import { useLoad } from '../../ui/use-load.ts';
import { useAdminSay } from './use-admin-say.ts';

/** What is unusual right now; nothing where nothing is. */
export function Anomalies() {
  const { log: say } = useAdminSay();
  const { call } = useBridge();
  const { state } = useLoad('anomalies', signal => call(checkAnomalies, { signal }));
  const lines = useLines(state.kind === 'ready' ? state.value : null);
  if (lines.length === 0) return null;
  return (
    <section>
      <h3>{say.unusual}</h3>
      <ul className="note">
        {lines.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

function useLines(found: AuditAnomalies | null): string[] {
  const { log: say } = useAdminSay();
  const language = useLanguage();
  if (!found?.hasAnomalies) return [];
  const { highFrequencyUsers, failedLoginUsers, errorRatePercent, thresholds } = found.anomalyDetails;
  const count = (value: number) => formatNumber(value, language);
  return [
    ...highFrequencyUsers.map(one => say.busy(one.username, count(one.operationCount), one.requestIp)),
    ...failedLoginUsers.map(one => say.logins(one.username, count(one.failedCount))),
    ...(errorRatePercent >= thresholds.errorRatePercent ? [say.refusals(Math.round(errorRatePercent))] : []),
  ];
}
