// Screens and parts of screens that are loaded when they are first shown. A failed load of a screen shows the failure, and
// a button that loads again.
import { TransportError } from '@recordproof/shared/api/client.ts';
import {
  type ComponentType,
  createElement,
  type FunctionComponent,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useState,
} from 'react';
import { ScreenContext } from '../context.ts';
import { ScreenHead } from './panes.tsx';
import { FailedState, Loading } from './states.tsx';

/** `fallback` is shown until it is loaded. */
export function lazyPart<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  fallback: ReactNode = null,
): FunctionComponent<P> {
  // React gives lazy components a type of their own; the props are the same.
  const Part = lazy(async () => ({ default: await load() })) as unknown as FunctionComponent<P>;
  return props => <Suspense fallback={fallback}>{createElement(Part, props)}</Suspense>;
}

type LaterScreen = { readonly load: () => Promise<ComponentType> };

export const lazyScreen = (load: LaterScreen['load']) =>
  lazy(async () => ({ default: await load().catch(() => Missing.bind(null, { load })) }));

/** Tries to load the screen again each time that it is shown. */
function Missing({ load }: LaterScreen) {
  const { name } = useContext(ScreenContext);
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
      <ScreenHead />
      {loaded === 'loading' ? (
        <Loading />
      ) : (
        <FailedState error={new TransportError('unreachable', `the screen ${name} could not be loaded`)} again={ask} />
      )}
    </>
  );
}
