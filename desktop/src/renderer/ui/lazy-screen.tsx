// Screens that are loaded when they are first shown. A failed load shows the failure, and a button that loads again.
import { TransportError } from '@recordproof/shared/api/client.ts';
import { type ComponentType, lazy, useCallback, useContext, useEffect, useState } from 'react';
import { ScreenContext } from '../context.ts';
import { FailedState, Loading } from './states.tsx';

type LaterScreen = { readonly load: () => Promise<ComponentType> };

export const lazyScreen = (load: LaterScreen['load']) =>
  lazy(async () => ({ default: await load().catch(() => Missing.bind(null, { load })) }));

/** Tries to load the screen again each time that it is shown. */
function Missing({ load }: LaterScreen) {
  const { name, title } = useContext(ScreenContext);
  const [loaded, setLoaded] = useState<{ readonly Content: ComponentType } | 'loading' | 'failed'>('loading');
  const ask = useCallback(() => {
    setLoaded('loading');
    load().then(
      Content => setLoaded({ Content }),
      () => setLoaded('failed'),
    );
  }, [load]);
  useEffect(ask, [ask]);
  if (typeof loaded === 'object') return <loaded.Content />;
  return (
    <>
      <header className="head">
        <h1>{title}</h1>
      </header>
      {loaded === 'loading' ? (
        <Loading />
      ) : (
        <FailedState error={new TransportError('unreachable', `the screen ${name} could not be loaded`)} again={ask} />
      )}
    </>
  );
}
