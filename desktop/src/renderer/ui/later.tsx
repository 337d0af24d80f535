// Parts of the app that are loaded when they are first shown. Without a server they cannot be, which is said as of anything
// else that it does not answer, and they are asked for again.
import { TransportError } from '@recordproof/shared/api/client.ts';
import { type ComponentType, lazy, useCallback, useEffect, useState } from 'react';
import { useSay } from '../surroundings.ts';
import { FailedState, Loading } from './states.tsx';

type Wanted = {
  readonly title: 'admin' | 'announcements' | 'friends' | 'messages' | 'share' | 'shares' | 'tickets';
  readonly load: () => Promise<ComponentType>;
};

export const later = (title: Wanted['title'], load: Wanted['load']) =>
  lazy(async () => ({ default: await load().catch(() => Missing.bind(null, { title, load })) }));

/** Asked for once more each time that it is shown: whoever comes back may be connected again. */
function Missing({ title, load }: Wanted) {
  const say = useSay();
  const [found, setFound] = useState<{ readonly Part: ComponentType } | 'asked' | 'missing'>('asked');
  const ask = useCallback(() => {
    setFound('asked');
    load().then(
      Part => setFound({ Part }),
      () => setFound('missing'),
    );
  }, [load]);
  useEffect(ask, [ask]);
  if (typeof found === 'object') return <found.Part />;
  return (
    <>
      <header className="head">
        <h1>{say[title]}</h1>
      </header>
      {found === 'asked' ? (
        <Loading />
      ) : (
        <FailedState error={new TransportError('unreachable', 'a part could not be loaded')} again={ask} />
      )}
    </>
  );
}
