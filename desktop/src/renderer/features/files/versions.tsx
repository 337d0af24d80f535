import { type File, listVersions } from '@recordproof/shared/api/files.ts';
import { formatTime } from '../../format.ts';
import { useBridge, useLanguage, useSay } from '../../surroundings.ts';
import { Problem } from '../../ui/states.tsx';
import { useEvents } from '../../ui/use-events.ts';
import { useLoad } from '../../ui/use-load.ts';

export function Versions({ file }: { readonly file: File }) {
  const say = useSay();
  const language = useLanguage();
  const { call } = useBridge();
  const { state, reload } = useLoad(file.id, signal => call(listVersions, { params: { id: file.id }, signal }));
  useEvents(['file-recorded'], reload);
  return (
    <section>
      <h3>{say.file.versions}</h3>
      {state.kind === 'loading' && <p className="quiet small">{say.loading}</p>}
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && (
        <ol className="versions">
          {state.value.map(({ id, version, isLatest, createdAt }) => (
            <li key={id}>
              <span>
                {say.file.versionIs(version)} {isLatest && <span className="chip good">{say.file.newest}</span>}
              </span>
              <span className="quiet number">{formatTime(createdAt, language)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
