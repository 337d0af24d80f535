import {
  cancelKeyRotation,
  type KeyRotationRun,
  pauseKeyRotation,
  type RunStatus,
  resumeKeyRotation,
  retryKeyRotation,
} from '@recordproof/shared/api/key-rotation.ts';
import { useState } from 'react';
import { formatNumber, formatTime } from '../../format.ts';
import { useBridge, useLanguage } from '../../surroundings.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useAdminSay } from './use-admin-say.ts';

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

export function RotationRun({ run, onChanged }: RunProps) {
  const { rotate: say } = useAdminSay();
  const language = useLanguage();
  const count = (value: number) => formatNumber(value, language);
  const done = run.totalCount - run.remainingCount;
  const isOver = run.completedAt !== null || run.status === 'CANCELLED';
  return (
    <>
      <header>
        <strong>{say.run(run.runId)}</strong>
        <span className={`chip ${tones[run.status]}`}>{say.statuses[run.status]}</span>
        <span className="quiet small">{say.modes[run.mode]}</span>
        <span className="quiet small number when">{formatTime(run.createdAt, language)}</span>
      </header>
      <progress aria-label={say.run(run.runId)} max={Math.max(1, run.totalCount)} value={done} />
      <p className="about quiet small number">
        {say.done(count(done), count(run.totalCount))}
        {!run.discoveryCompleted && !isOver && ` · ${say.finding}`}
        {run.failedCount > 0 && ` · ${say.failed(count(run.failedCount))}`}
        {run.failures.map(({ category, count: many }) => ` · ${category} ${count(many)}`)}
      </p>
      <RunActions run={run} onChanged={onChanged} />
    </>
  );
}

function RunActions({ run: { runId, status, retryableCount }, onChanged }: RunProps) {
  const { rotate: say } = useAdminSay();
  const { call } = useBridge();
  const [isAsking, setAsking] = useState(false);
  const params = { runId };
  const change = useAction((endpoint: typeof pauseKeyRotation) => call(endpoint, { params }).then(onChanged));
  const button = (endpoint: typeof pauseKeyRotation, text: string) => (
    <button
      type="button"
      className="plain"
      disabled={change.isBusy}
      aria-label={`${text}: ${say.run(runId)}`}
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
        {mayGoOn && status !== 'PAUSED' && button(pauseKeyRotation, say.pause)}
        {status === 'PAUSED' && button(resumeKeyRotation, say.resume)}
        {!mayGoOn && retryableCount > 0 && button(retryKeyRotation, say.retry)}
        {mayGoOn && (
          <button
            type="button"
            className="danger"
            aria-label={`${say.cancel}: ${say.run(runId)}`}
            onClick={() => setAsking(true)}
          >
            {say.cancel}
          </button>
        )}
      </div>
      {isAsking && (
        <AskDialog
          title={say.cancelAsk(runId)}
          text={say.cancelText}
          yes={say.cancel}
          act={() => call(cancelKeyRotation, { params }).then(onChanged)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
