// Runs that move the keys of files under another key: how far they are, and what can be done with them.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import {
  getKeyRotationPolicy,
  type KeyRotationPolicy,
  type KeyRotationRun,
  listKeyRotations,
} from '@recordproof/shared/api/key-rotation.ts';
import { formatDuration, formatNumber } from '../../format.ts';
import { useBridge, useLanguage } from '../../surroundings.ts';
import { FailedState, Loading, Problem } from '../../ui/states.tsx';
import { useEvery } from '../../ui/use-every.ts';
import { useLoad } from '../../ui/use-load.ts';
import { CommandLines } from './command-lines.tsx';
import { adminCommands } from './commands.ts';
import { RotationRun } from './rotation-run.tsx';
import { useAdminSay } from './use-admin-say.ts';

const everyMs = 3000;
const shownRuns = 20;

const noPolicyIsNone = (error: unknown): null => {
  if (error instanceof ApiError && error.kind === 'RESULT_DATA_NONE') return null;
  throw error;
};

const isUnderWay = ({ status }: KeyRotationRun): boolean => status === 'PLANNED' || status === 'RUNNING';

const mayStillMove = (run: KeyRotationRun): boolean => isUnderWay(run) || run.status === 'PAUSED';

async function lookAtRotation(call: Client['call'], signal: AbortSignal) {
  const [policy, runs] = await Promise.all([
    call(getKeyRotationPolicy, { signal }).catch(noPolicyIsNone),
    call(listKeyRotations, { query: { limit: shownRuns }, signal }),
  ]);
  return { policy, runs: runs.records };
}

export function RotationPart() {
  const { call } = useBridge();
  const { state, reload } = useLoad('rotation', signal => lookAtRotation(call, signal), { keeps: true });
  useEvery(state.kind === 'ready' && state.value.runs.some(isUnderWay) ? everyMs : null, reload);
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
  const { rotate: say } = useAdminSay();
  return (
    <section>
      <h3>{say.policy}</h3>
      {policy ? <PolicyFacts policy={policy} /> : <p className="note">{say.noPolicyText}</p>}
    </section>
  );
}

function PolicyFacts({ policy }: { readonly policy: KeyRotationPolicy }) {
  const { rotate: say } = useAdminSay();
  const language = useLanguage();
  const { retirement, scheduleEnabled, scheduleIntervalSeconds } = policy;
  const reason = retirement.reason === null ? '' : `: ${say.blockers[retirement.reason]}`;
  return (
    <>
      {!policy.workerEnabled && <p className="note">{say.off}</p>}
      <dl className="facts">
        <dt>{say.key}</dt>
        <dd>{say.keyIs(policy.provider, policy.providerKeyVersion)}</dd>
        <dt>{say.pace}</dt>
        <dd>{say.paceIs(formatNumber(policy.maxItemsPerMinute, language))}</dd>
        <dt>{say.schedule}</dt>
        <dd>
          {scheduleEnabled && scheduleIntervalSeconds !== null
            ? say.every(formatDuration(scheduleIntervalSeconds))
            : say.never}
        </dd>
        <dt>{say.oldKey}</dt>
        <dd>{say.retirement[retirement.state] + reason}</dd>
      </dl>
    </>
  );
}

type RunsProps = { readonly runs: readonly KeyRotationRun[]; readonly onChanged: () => void };

function Runs({ runs, onChanged }: RunsProps) {
  const { rotate: say } = useAdminSay();
  return (
    <section>
      <h3>{say.runs}</h3>
      {runs.length === 0 && <p className="note">{say.noneText}</p>}
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
