import { fileQuota } from '@recordproof/shared/api/files.ts';
import { formatSize } from '../../format.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { Problem } from '../../ui/states.tsx';
import { useLoad } from '../../ui/use-load.ts';

export function StorageUsed() {
  const say = useSay();
  const { call } = useBridge();
  const { state } = useLoad('quota', signal => call(fileQuota, { signal }));
  return (
    <section className="card form">
      <h2>{say.me.storage}</h2>
      {state.kind === 'loading' && <p className="quiet">{say.loading}</p>}
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && (
        <>
          <p className="number">
            {say.me.used(formatSize(state.value.user.usedBytes), formatSize(state.value.user.maxBytes))}
          </p>
          <progress
            aria-label={say.me.storage}
            max={Math.max(1, state.value.user.maxBytes)}
            value={state.value.user.usedBytes}
          />
        </>
      )}
    </section>
  );
}
