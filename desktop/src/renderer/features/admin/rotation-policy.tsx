// The policy of key rotation, and whether the old key may be retired.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { getKeyRotationPolicy, type KeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatDuration, formatNumber } from '../../format.ts';
import { useLoad, usePolling } from '../../ui/hooks.ts';
import { Facts } from '../../ui/panes.tsx';
import { Problem } from '../../ui/states.tsx';

const everyMs = 10_000;

const noPolicyIsNone = (error: unknown): null => {
  if (error instanceof ApiError && error.kind === 'RESULT_DATA_NONE') return null;
  throw error;
};

export function RotationPolicy() {
  const { rotate: texts } = useWords(adminWords);
  const { call } = useBridge();
  const load = (signal: AbortSignal) => call(getKeyRotationPolicy, { signal }).catch(noPolicyIsNone);
  const { state, reload } = useLoad('rotation-policy', load, { keeps: true });
  usePolling(everyMs, reload);
  return (
    <section>
      <h3>{texts.policy}</h3>
      {state.kind !== 'loading' && <Problem error={state.error} />}
      {state.kind === 'ready' && state.value === null && <p className="note">{texts.noPolicyText}</p>}
      {state.kind === 'ready' && state.value !== null && <PolicyFacts policy={state.value} />}
    </section>
  );
}

function PolicyFacts({ policy }: { readonly policy: KeyRotationPolicy }) {
  const { rotate: texts } = useWords(adminWords);
  const language = useLanguage();
  const { retirement, scheduleEnabled, scheduleIntervalSeconds } = policy;
  const oldKey = texts.retirement[retirement.state];
  const reason = retirement.reason && texts.blockers[retirement.reason];
  return (
    <>
      {!policy.workerEnabled && <p className="note">{texts.off}</p>}
      <Facts
        of={{
          [texts.key]: texts.keyIs(policy.provider, policy.providerKeyVersion),
          [texts.pace]: texts.paceIs(formatNumber(policy.maxItemsPerMinute, language)),
          [texts.schedule]:
            scheduleEnabled && scheduleIntervalSeconds !== null
              ? texts.every(formatDuration(scheduleIntervalSeconds))
              : texts.never,
          [texts.oldKey]: reason ? texts.withReason(oldKey, reason) : oldKey,
        }}
      />
    </>
  );
}
