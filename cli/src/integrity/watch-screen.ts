// Full-screen dashboard of open alerts: up and down select one, a acknowledges it, q quits.
import type { Client } from '@recordproof/shared/api/client.ts';
import { type AlertType, acknowledgeIntegrityAlert, type IntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import type { ReactNode } from 'react';
import { fact, keyLine, line, panel, stack } from '../platform/dashboard/draw.ts';
import type { Size } from '../platform/dashboard/screen.ts';
import { toNote, watchOnScreen as watch } from '../platform/dashboard/watch.ts';
import { printable, toMinute, writeData } from '../platform/output.ts';
import type { Waits } from '../platform/waits.ts';
import { alertLines, countsText, type OpenAlerts, readOpenAlerts } from './open-alerts.ts';

export type AlertScene = {
  readonly open: OpenAlerts;
  /** The selected alert; it stays selected while the list changes. */
  readonly chosen: string | null;
  readonly problem: string | null;
  readonly note: string | null;
};

const widest = 100;
/** Borders, the heading, the facts of the selected alert, and the lines below. */
const rowsAround = 12;

const chosenOf = ({ open, chosen }: AlertScene): IntegrityAlert | undefined =>
  open.alerts.find(({ id }) => id === chosen) ?? open.alerts[0];

export function drawAlerts(scene: AlertScene, { columns, rows }: Size): ReactNode {
  const { open, problem, note } = scene;
  const chosen = chosenOf(scene);
  const room = Math.max(1, rows - rowsAround);
  const at = chosen === undefined ? 0 : open.alerts.indexOf(chosen);
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), open.alerts.length - room));
  const width = Math.min(columns, widest);
  return stack(
    panel(
      width,
      line(`integrity   ${countsText(open)}`, open.pending > 0 ? 'bad' : 'good'),
      ...alertLines(open.alerts.slice(from, from + room)).map((text, nth) =>
        line(`${from + nth === at ? '›' : ' '} ${text}`),
      ),
    ),
    ...(chosen === undefined ? [] : [panel(width, ...factsOf(chosen))]),
    line(problem ?? note ?? '', problem === null ? undefined : 'warning'),
    keyLine([
      { key: 'j/k', does: 'down, up' },
      { key: 'a', does: 'acknowledge' },
      { key: 'q', does: 'leave' },
    ]),
  );
}

const factsOf = ({ id, alertType, severity, evidence, fileName, ownerName, createdAt }: IntegrityAlert) => [
  fact('alert', `${id}   ${alertType}   ${severity}`, severity === 'CRITICAL' ? 'bad' : 'warning'),
  fact('file', printable(`${fileName}   of ${ownerName}   found ${toMinute(createdAt)}`)),
  fact('evidence', printable(String(evidence.reason ?? ''))),
  fact(...nextStep(id, alertType)),
];

/** Only objects can be repaired with bytes; other alerts get a hint. */
const nextStep = (id: string, type: AlertType): [name: string, command: string] =>
  /^(MANIFEST|CHAIN)_/.test(type)
    ? ['what to do', `recordproof admin integrity show ${id}`]
    : ['repair', `recordproof admin integrity repair ${id}`];

/** The alert before or after, up to the ends of the list. */
export function chooseNext(scene: AlertScene, step: number): string | null {
  const { alerts } = scene.open;
  const current = chosenOf(scene);
  const at = current === undefined ? 0 : alerts.indexOf(current);
  return alerts[Math.min(alerts.length - 1, Math.max(0, at + step))]?.id ?? null;
}

type Watching = { readonly client: Client; readonly waits: Waits; readonly everyMs: number };

const steps: Readonly<Record<string, number>> = { j: 1, k: -1 };

/** The last state remains as a line. */
export async function watchOnScreen({ client, waits, everyMs }: Watching): Promise<void> {
  const { open } = await watch<OpenAlerts, AlertScene>({
    ...{ waits, everyMs, read: readOpenAlerts(client), draw: drawAlerts },
    first: open => ({ open, chosen: null, problem: null, note: null }),
    next: (scene, open) => ({ ...scene, open }),
    press(scene, key) {
      const step = steps[key];
      if (step !== undefined) return { scene: { ...scene, chosen: chooseNext(scene, step) } };
      const alert = chosenOf(scene);
      if (key !== 'a' || alert === undefined) return undefined;
      const call = client.call(acknowledgeIntegrityAlert, { params: { id: alert.id } });
      return { scene, outcome: toNote(call, ({ id }) => `alert ${id} is yours`) };
    },
  });
  writeData(countsText(open));
}
