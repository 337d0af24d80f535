// Key rotation: the policy, the runs, and the actions on a run.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  cancelKeyRotation,
  getKeyRotationPolicy,
  type KeyRotationPolicy,
  type KeyRotationRun,
  listKeyRotations,
  pauseKeyRotation,
  type RunStatus,
  resumeKeyRotation,
  retryKeyRotation,
} from '@recordproof/shared/api/key-rotation.ts';
import { useState } from 'react';
import { useBridge, useLanguage } from '../../context.ts';
import { formatDuration, formatNumber, formatTime } from '../../format.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { useAction, useLoad, usePolling } from '../../ui/hooks.ts';
import { FailedState, Loading, Problem } from '../../ui/states.tsx';
import { CommandLines } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { useAdminTexts } from './use-admin-texts.ts';

const everyMs = 3000;
const shownRuns = 20;

const noPolicyIsNone = (error: unknown): null => {
  if (error instanceof ApiError && error.kind === 'RESULT_DATA_NONE') return null;
  throw error;
};

const isUnderWay = ({ status }: KeyRotationRun): boolean => status === 'PLANNED' || status === 'RUNNING';

const mayStillMove = (run: KeyRotationRun): boolean => isUnderWay(run) || run.status === 'PAUSED';

async function fetchRotation(call: Client['call'], signal: AbortSignal) {
  const [policy, runs] = await Promise.all([
    call(getKeyRotationPolicy, { signal }).catch(noPolicyIsNone),
    call(listKeyRotations, { query: { limit: shownRuns }, signal }),
  ]);
  return { policy, runs: runs.records };
}

export function RotationPart() {
  const { call } = useBridge();
  const { state, reload } = useLoad('rotation', signal => fetchRotation(call, signal), { keeps: true });
  usePolling(state.kind === 'ready' && state.value.runs.some(isUnderWay) ? everyMs : null, reload);
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <FailedState error={state.error} again={reload} />;
  return (
    <div className="scroll">
      <div className="report">
        <Problem error={state.error} />
        <Policy policy={state.value.policy} />
        <Runs runs={state.value.runs} onChanged={reload} />
        <CommandLines lines={adminCommands.rotation(state.value.runs.find(mayStillMove)?.runId)} />
      </div>
    </div>
  );
}

function Policy({ policy }: { readonly policy: KeyRotationPolicy | null }) {
  const { rotate: texts } = useAdminTexts();
  return (
    <section>
      <h3>{texts.policy}</h3>
      {policy ? <PolicyFacts policy={policy} /> : <p className="note">{texts.noPolicyText}</p>}
    </section>
  );
}

function PolicyFacts({ policy }: { readonly policy: KeyRotationPolicy }) {
  const { rotate: texts } = useAdminTexts();
  const language = useLanguage();
  const { retirement, scheduleEnabled, scheduleIntervalSeconds } = policy;
  const reason = retirement.reason === null ? '' : `: ${texts.blockers[retirement.reason]}`;
  return (
    <>
      {!policy.workerEnabled && <p className="note">{texts.off}</p>}
      <dl className="facts">
        <dt>{texts.key}</dt>
        <dd>{texts.keyIs(policy.provider, policy.providerKeyVersion)}</dd>
        <dt>{texts.pace}</dt>
        <dd>{texts.paceIs(formatNumber(policy.maxItemsPerMinute, language))}</dd>
        <dt>{texts.schedule}</dt>
        <dd>
          {scheduleEnabled && scheduleIntervalSeconds !== null
            ? texts.every(formatDuration(scheduleIntervalSeconds))
            : texts.never}
        </dd>
        <dt>{texts.oldKey}</dt>
        <dd>{texts.retirement[retirement.state] + reason}</dd>
      </dl>
    </>
  );
}

type RunsProps = { readonly runs: readonly KeyRotationRun[]; readonly onChanged: () => void };

function Runs({ runs, onChanged }: RunsProps) {
  const { rotate: texts } = useAdminTexts();
  return (
    <section>
      <h3>{texts.runs}</h3>
      {runs.length === 0 && <p className="note">{texts.noneText}</p>}
      {runs.length > 0 && (
        <ul className="sheet">
          {runs.map(run => (
            <li key={run.runId} className="run">
              <RotationRun run={run} onChanged={onChanged} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const tones: Readonly<Record<RunStatus, string>> = {
  PLANNED: '',
  RUNNING: 'open',
  PAUSED: 'open',
  CANCELLED: '',
  COMPLETED: 'good',
  COMPLETED_WITH_FAILURES: 'bad',
  FAILED: 'bad',
};

type RunProps = { readonly run: KeyRotationRun; readonly onChanged: () => void };

function RotationRun({ run, onChanged }: RunProps) {
  const { rotate: texts } = useAdminTexts();
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  const done = run.totalCount - run.remainingCount;
  const isOver = run.completedAt !== null || run.status === 'CANCELLED';
  return (
    <>
      <header>
        <strong>{texts.run(run.runId)}</strong>
        <span className={`chip ${tones[run.status]}`}>{texts.statuses[run.status]}</span>
        <span className="quiet small">{texts.modes[run.mode]}</span>
        <span className="quiet small number when">{formatTime(run.createdAt, language)}</span>
      </header>
      <progress aria-label={texts.run(run.runId)} max={Math.max(1, run.totalCount)} value={done} />
      <p className="about quiet small number">
        {texts.done(count(done), count(run.totalCount))}
        {!run.discoveryCompleted && !isOver && ` · ${texts.finding}`}
        {run.failedCount > 0 && ` · ${texts.failed(count(run.failedCount))}`}
        {run.failures.map(({ category, count: many }) => ` · ${category} ${count(many)}`)}
      </p>
      <RunActions run={run} onChanged={onChanged} />
    </>
  );
}

function RunActions({ run: { runId, status, retryableCount }, onChanged }: RunProps) {
  const { rotate: texts } = useAdminTexts();
  const { call } = useBridge();
  const [isAsking, setAsking] = useState(false);
  const params = { runId };
  const change = useAction((endpoint: typeof pauseKeyRotation) => call(endpoint, { params }).then(onChanged));
  const button = (endpoint: typeof pauseKeyRotation, text: string) => (
    <button
      type="button"
      className="plain"
      disabled={change.isBusy}
      aria-label={`${text}: ${texts.run(runId)}`}
      onClick={() => change.run(endpoint)}
    >
      {text}
    </button>
  );
  const mayGoOn = status === 'PLANNED' || status === 'RUNNING' || status === 'PAUSED';
  if (!mayGoOn && retryableCount === 0) return null;
  return (
    <>
      <Problem error={change.error} />
      <div className="actions">
        {mayGoOn && status !== 'PAUSED' && button(pauseKeyRotation, texts.pause)}
        {status === 'PAUSED' && button(resumeKeyRotation, texts.resume)}
        {!mayGoOn && retryableCount > 0 && button(retryKeyRotation, texts.retry)}
        {mayGoOn && (
          <button
            type="button"
            className="danger"
            aria-label={`${texts.cancel}: ${texts.run(runId)}`}
            onClick={() => setAsking(true)}
          >
            {texts.cancel}
          </button>
        )}
      </div>
      {isAsking && (
        <AskDialog
          title={texts.cancelAsk(runId)}
          text={texts.cancelText}
          yes={texts.cancel}
          act={() => call(cancelKeyRotation, { params }).then(onChanged)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
