// Message of maintenance mode, above every screen. Polled each minute, and when the user returns to the window.
import { getMaintenance } from '@recordproof/shared/api/maintenance.ts';
import { useBridge, useTexts } from './context.ts';
import { useLoad, usePolling, useReturn } from './ui/hooks.ts';

const pollEveryMs = 60_000;

export function MaintenanceStrip() {
  const { call } = useBridge();
  const texts = useTexts();
  const { state, reload } = useLoad('', signal => call(getMaintenance, { signal }), { keeps: true });
  usePolling(pollEveryMs, reload);
  useReturn(reload);
  const message = state.kind === 'ready' && state.value.isOn ? state.value.message : null;
  return <div role="status">{message !== null && <p className="strip">{texts.maintenance(message)}</p>}</div>;
}
