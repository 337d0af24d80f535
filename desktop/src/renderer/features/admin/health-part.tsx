// Health of the service: its components, its queues, its dead jobs.
import type { Client } from '@recordproof/shared/api/client.ts';
import { type ComponentHealth, getHealth } from '@recordproof/shared/api/monitor.ts';
import { getSystemMonitor, type SystemMonitor } from '@recordproof/shared/api/system.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatDuration, formatNumber, formatTime } from '../../format.ts';
import { toHref } from '../../router.ts';
import { useLoad, usePolling } from '../../ui/hooks.ts';
import { NotLoaded, Problem } from '../../ui/states.tsx';
import { CommandLines, Figures } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { DeadJobs } from './dead-jobs.tsx';

const everyMs = 10_000;

export function HealthPart() {
  const { call } = useBridge();
  const { state, reload } = useLoad('health', signal => fetchHealth(call, signal), { keeps: true });
  usePolling(everyMs, reload);
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  const { monitor, parts } = state.value;
  return (
    <div className="scroll">
      <div className="report">
        <Problem error={state.error} />
        <Whole sample={state.value} />
        <Components parts={parts} />
        <Conditions conditions={monitor.conditions} />
        <Queues monitor={monitor} />
        <DeadJobs everyMs={everyMs} />
        <CommandLines lines={adminCommands.health()} />
      </div>
    </div>
  );
}

const tones = { UP: 'good', DEGRADED: 'open', DOWN: 'bad' } as const;

function Whole({ sample: { monitor } }: { readonly sample: HealthSample }) {
  const { state: texts } = useWords(adminWords);
  const language = useLanguage();
  const { version, uptimeSeconds } = monitor.server;
  const { unresolved } = monitor.alerts;
  const { status } = monitor.health;
  const isWell = status === 'UP' && unresolved === 0;
  const days = Math.floor(uptimeSeconds / 86_400);
  const uptime = days > 0 ? texts.days(days) : formatDuration(uptimeSeconds);
  return (
    <section>
      <h2 className={`whole ${isWell || status !== 'UP' ? tones[status] : 'bad'}`}>
        {isWell || status !== 'UP' ? texts.whole[status] : null}
        {unresolved > 0 && status !== 'UP' ? ' · ' : null}
        {unresolved > 0 && <a href={toHref('admin', { part: 'alerts' })}>{texts.openAlerts(unresolved)}</a>}
      </h2>
      <p className="quiet small number">
        {texts.version} {version} · {texts.uptime} {uptime} · {texts.looked(formatTime(monitor.time, language))}
      </p>
    </section>
  );
}

function Components({ parts }: { readonly parts: HealthSample['parts'] }) {
  const { state: texts } = useWords(adminWords);
  return (
    <section>
      <h3>{texts.parts}</h3>
      <ul className="sheet">
        {Object.entries(parts).map(([name, part]) => (
          <li key={name} className="component">
            <strong>{name}</strong>
            <span className={`chip ${tones[part.status]}`}>{texts.part[part.status]}</span>
            <Details of={part.details ?? {}} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** With the names of the guide. */
function Details({ of }: { readonly of: NonNullable<ComponentHealth['details']> }) {
  const { state: texts } = useWords(adminWords);
  const toText = (value: unknown): string => {
    if (typeof value === 'boolean') return value ? texts.yes : texts.no;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  return (
    <dl className="details number">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{toText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Conditions({ conditions }: Pick<HealthSample['monitor'], 'conditions'>) {
  const { state: texts } = useWords(adminWords);
  if (conditions.length === 0) return null;
  return (
    <section>
      <h3>{texts.conditions}</h3>
      <ul className="sheet">
        {conditions.map(({ name, state }) => (
          <li key={name} className="component">
            <strong>{name}</strong>
            <span className="chip open">{state}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Queues({ monitor: { installation, attestation, alerts } }: Pick<HealthSample, 'monitor'>) {
  const { state: texts } = useWords(adminWords);
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  const { jobs, events, sagas } = installation ?? {};
  return (
    <section>
      <h3>{texts.queues}</h3>
      <Figures
        of={{
          [texts.proofs]: count(attestation.readyCandidates + attestation.claimedCandidates),
          [texts.alerts]: count(alerts.unresolved),
          ...(jobs && { [texts.jobs]: count(jobs.waiting) }),
          ...(events && { [texts.events]: count(events.pending) }),
          ...(sagas && { [texts.sagas]: count(sagas.running) }),
          ...(jobs && events && sagas && { [texts.deadWork]: count(jobs.dead + events.exhausted + sagas.failed) }),
        }}
      />
    </section>
  );
}

type HealthSample = { readonly monitor: SystemMonitor; readonly parts: Readonly<Record<string, ComponentHealth>> };

/** Every component with its details. A proxy may block the probe, which has them: then the states alone. */
async function fetchHealth(call: Client['call'], signal: AbortSignal): Promise<HealthSample> {
  const [monitor, detailed] = await Promise.all([
    call(getSystemMonitor, { signal }),
    call(getHealth, { signal }).then(
      ({ components = {} }) => components,
      () => ({}),
    ),
  ]);
  const bare = Object.entries(monitor.health.components).map(([name, status]) => [name, { status }]);
  return { monitor, parts: { ...Object.fromEntries(bare), ...detailed } };
}
