// The runs of one kind, and the actions on each: the same panel for every kind.
import type { ShownKind } from '@recordproof/shared/api/run-kinds.ts';
import type { AnyRun, RunChange } from '@recordproof/shared/api/runs.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { type ReactNode, useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatNumber, formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { useAction, useLoad, usePolling } from '../../ui/hooks.ts';
import { NotLoaded, Problem } from '../../ui/states.tsx';
import { CommandLines } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';

const everyMs = 3000;
const shownRuns = 20;

/** Fields that the runs of some kinds have. */
type ShownRun = AnyRun & {
  readonly failures?: readonly { readonly category: string; readonly count: number }[];
  readonly reasons?: readonly { readonly reason: string; readonly count: number }[];
  readonly failure?: string | null;
  readonly failureCategory?: string | null;
  readonly workerEnabled?: boolean;
};

const isUnfinished = ({ completedAt }: ShownRun): boolean => completedAt === null;
const isUnderWay = (run: ShownRun): boolean => isUnfinished(run) && run.status !== 'PAUSED';

type PartProps = { readonly kind: ShownKind; readonly before?: ReactNode };

export function RunsPart({ kind, before }: PartProps) {
  const { call } = useBridge();
  const { runs: endpoints, starts = ['start'] } = kind;
  const load = (signal: AbortSignal) => call(endpoints.list, { query: { limit: shownRuns }, signal });
  const { state, reload } = useLoad(endpoints.feature, load, { keeps: true });
  usePolling(state.kind === 'ready' && state.value.records.some(isUnderWay) ? everyMs : null, reload);
  if (state.kind !== 'ready') return <NotLoaded state={state} again={reload} />;
  const { records } = state.value;
  return (
    <div className="scroll">
      <div className="report">
        <Problem error={state.error} />
        {before}
        <Runs kind={kind} runs={records} onChanged={reload} />
        <CommandLines lines={adminCommands.runs(endpoints.feature, starts, records.find(isUnfinished)?.runId)} />
      </div>
    </div>
  );
}

type Shared = { readonly kind: ShownKind; readonly onChanged: () => void };

function Runs({ runs, ...shared }: Shared & { readonly runs: readonly ShownRun[] }) {
  const { run: texts } = useWords(adminWords);
  return (
    <section>
      <h3>{texts.runs}</h3>
      {runs.length === 0 && <p className="note">{texts.noneText}</p>}
      {runs.length > 0 && (
        <ul className="sheet">
          {runs.map(run => (
            <li key={run.runId} className="run">
              <RunCard run={run} {...shared} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function toTone(run: ShownRun): string {
  if (run.status === 'FAILED' || run.status === 'COMPLETED_WITH_FAILURES') return 'bad';
  if (isUnfinished(run)) return run.status === 'PLANNED' ? '' : 'open';
  return run.status === 'CANCELLED' ? '' : 'good';
}

/** Kinds may have statuses and modes without a text of their own. */
const textOf = (texts: Readonly<Record<string, string>>, name: string): string => texts[name] ?? name;

type CardProps = Shared & { readonly run: ShownRun };

function RunCard({ run, ...shared }: CardProps) {
  const { run: texts } = useWords(adminWords);
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  const done = run.totalCount - run.remainingCount;
  const reasons = [
    ...(run.failures ?? []).map(({ category, count: many }) => `${category} ${count(many)}`),
    ...(run.reasons ?? []).map(({ reason, count: many }) => `${reason} ${count(many)}`),
  ];
  const notes = [
    texts.done(count(done), count(run.totalCount)),
    !run.discoveryCompleted && isUnfinished(run) && texts.finding,
    run.workerEnabled === false && isUnfinished(run) && texts.off,
    run.failedCount > 0 && texts.failed(count(run.failedCount)),
    ...reasons,
    run.failure ?? run.failureCategory,
  ];
  return (
    <>
      <header>
        <strong>{texts.run(run.runId)}</strong>
        <span className={`chip ${toTone(run)}`}>{textOf(texts.statuses, run.status)}</span>
        <span className="quiet small">{textOf(texts.modes, run.mode)}</span>
        <span className="quiet small number when">{formatTime(run.createdAt, language)}</span>
      </header>
      <progress aria-label={texts.run(run.runId)} max={Math.max(1, run.totalCount)} value={done} />
      <p className="about quiet small number">{notes.filter(Boolean).join(' · ')}</p>
      <RunActions run={run} {...shared} />
    </>
  );
}

/** The changes that are possible now, of those that the kind has. */
function listChanges({ runs }: ShownKind, run: ShownRun): RunChange[] {
  const possible: readonly RunChange[] = isUnfinished(run)
    ? [run.status === 'PAUSED' ? 'resume' : 'pause', 'cancel']
    : (run.retryableCount ?? 0) > 0
      ? ['retry']
      : [];
  return possible.filter(change => runs[change] !== undefined);
}

function RunActions({ kind, run, onChanged }: CardProps) {
  const { run: texts } = useWords(adminWords);
  const { call } = useBridge();
  const [isAsking, setAsking] = useState(false);
  const params = { runId: run.runId };
  const act = async (change: RunChange) => {
    const endpoint = kind.runs[change];
    if (endpoint !== undefined) await call(endpoint, { params });
    onChanged();
  };
  const changing = useAction(act);
  const changes = listChanges(kind, run);
  if (changes.length === 0) return null;
  return (
    <>
      <Problem error={changing.error} />
      <div className="actions">
        {changes.map(change => (
          <Button
            key={change}
            label={texts[change]}
            of={texts.run(run.runId)}
            variant={change === 'cancel' ? 'danger' : 'plain'}
            disabled={changing.isBusy}
            onClick={() => (change === 'cancel' ? setAsking(true) : changing.run(change))}
          />
        ))}
      </div>
      {isAsking && (
        <AskDialog
          title={texts.cancelAsk(run.runId)}
          text={texts.cancelText}
          yes={texts.cancel}
          act={() => act('cancel')}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
