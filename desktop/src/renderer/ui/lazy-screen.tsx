// Screens that are loaded when they are first shown. A failed load shows the failure, and a button that loads again.
import { TransportError } from '@recordproof/shared/api/client.ts';
import type { AppTexts } from '@recordproof/shared/words/app.ts';
import { type ComponentType, lazy, useCallback, useEffect, useState } from 'react';
import { useTexts } from '../context.ts';
import { FailedState, Loading } from './states.tsx';

/** Keys of the texts that can be a title. */
export type TitleName = { [Name in keyof AppTexts]: AppTexts[Name] extends string ? Name : never }[keyof AppTexts];

type LaterScreen = { readonly title: TitleName; readonly load: () => Promise<ComponentType> };

export const lazyScreen = (title: TitleName, load: LaterScreen['load']) =>
  lazy(async () => ({ default: await load().catch(() => Missing.bind(null, { title, load })) }));

/** Tries to load the screen again each time that it is shown. */
function Missing({ title, load }: LaterScreen) {
  const texts = useTexts();
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
        <h1>{texts[title]}</h1>
      </header>
      {loaded === 'loading' ? (
        <Loading />
      ) : (
        <FailedState error={new TransportError('unreachable', `the screen ${title} could not be loaded`)} again={ask} />
      )}
    </>
  );
}
