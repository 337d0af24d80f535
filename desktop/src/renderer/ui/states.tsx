// States of a screen without content: loading, empty, failed.
import type { ReactNode } from 'react';
import { useTexts } from '../context.ts';
import { toErrorText } from '../error-text.ts';
import { toHref } from '../router.ts';
import { Button } from './button.tsx';
import type { Loaded } from './hooks.ts';
import { Icon, type IconName } from './icon.tsx';
import { ScreenHead } from './panes.tsx';

type Empty = { readonly icon: IconName; readonly title: string; readonly text: string; readonly children?: ReactNode };

export const EmptyState = ({ icon, title, text, children }: Empty) => (
  <div className="middle">
    <Icon name={icon} />
    <h2>{title}</h2>
    <p>{text}</p>
    {children && <div className="actions">{children}</div>}
  </div>
);

/** A whole screen whose address leads to nothing, with the way back to all files. */
export const MissingState = ({ title, text }: Pick<Empty, 'title' | 'text'>) => (
  <>
    <ScreenHead />
    <EmptyState icon="search" title={title} text={text}>
      <a className="button" href={toHref('files')}>
        {useTexts().list.all}
      </a>
    </EmptyState>
  </>
);

export const Loading = () => (
  <div className="middle" role="status">
    <p>{useTexts().loading}</p>
  </div>
);

export function FailedState({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  const texts = useTexts();
  return (
    <div className="middle" role="alert">
      <Icon name="alert" />
      <p>{toErrorText(error, texts)}</p>
      <div className="actions">
        <Button label={texts.again} variant="plain" onClick={again} />
      </div>
    </div>
  );
}

type Shown = { readonly state: Loaded<unknown> };

/** Instead of a value that is not loaded. */
export function NotLoaded({ state, again }: Shown & { readonly again: () => void }) {
  if (state.kind === 'loading') return <Loading />;
  return state.kind === 'failed' && <FailedState error={state.error} again={again} />;
}

/** The same within a card or a dialog. */
export function NotLoadedNote({ state }: Shown) {
  const { loading } = useTexts();
  if (state.kind === 'loading') return <p className="quiet">{loading}</p>;
  return state.kind === 'failed' && <Problem error={state.error} />;
}

/** Error under the fields of a form, announced to screen readers. */
export function Problem({ error }: { readonly error: unknown }) {
  const texts = useTexts();
  return (
    <div role="alert">
      {error !== undefined && error !== null && <p className="problem">{toErrorText(error, texts)}</p>}
    </div>
  );
}
